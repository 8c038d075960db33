"""A call to a model as a value: question, reply, cache, rubric, exhibit."""

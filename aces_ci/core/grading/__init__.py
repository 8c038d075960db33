"""What a trace is worth: values that the metrics share."""

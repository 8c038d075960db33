"""Parts of the live tier's results in the comment; each returns lines of Markdown that serve both forges."""

"""Parts of the sticky comment; each returns lines of Markdown that serve both forges."""

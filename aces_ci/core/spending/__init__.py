"""What passes the gateway and what it costs."""

"""Bytes, politely: download handler, DNS, robots, connection cap, bandwidth."""

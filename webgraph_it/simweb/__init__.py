"""A small Italian internet on loopback, which knows its own graph."""

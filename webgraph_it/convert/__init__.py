"""Shards → compact graph."""

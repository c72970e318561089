"""Compact graph → numbers and pictures."""

"""Files on disk: our own, written durably, and received ones, checked before they are trusted."""

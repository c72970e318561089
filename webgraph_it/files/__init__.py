"""Files on disk: our own, written durably; received ones, believed only as far as they were checked."""

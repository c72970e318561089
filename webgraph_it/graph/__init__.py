"""Links at rest: shard format, double-buffered writer, item pipeline; compact graph, URL map, BV codec."""

# ruff: noqa: E501 (a row is a line, and holds the text of a module as it is)
"""What is changed, and which tests must notice. All names of modules and tests stand here: adapt them when files move.

A safety call that no row of SAFETY names is not checked: whoever adds one adds its row. EQUIVALENT lists the sampled
changes that no test can notice, each with its reason.
"""

from typing import NamedTuple

from tests.crawl.test_durable import MUTANTS as CRAWL_SYNCS
from tests.mutants import Mutant

DURABLE = "tests/crawl/test_durable.py::test_everything_is_on_disk_before_it_is_recorded"
CONVERT_DURABLE = "tests/convert/test_durable.py"

MODULES: dict[str, tuple[str, ...]] = {
    "urls/names.py": (),
    "urls/scope.py": (
        "tests/urls/test_surt.py",
        "tests/urls/test_sitemaps.py",
        "tests/engine/test_scope_middlewares.py",
    ),
    "urls/surt.py": (),
    "frontier/politeness.py": (),
    "frontier/turns.py": ("tests/frontier/test_frontier.py",),
    "frontier/seen.py": (
        "tests/frontier/test_rebuild.py",
        "tests/frontier/test_seeds.py",
        "tests/frontier/test_frontier.py",
    ),
    "frontier/layers.py": ("tests/frontier/test_frontier.py",),
    "frontier/layout.py": ("tests/frontier/test_frontier.py",),
    "frontier/leases.py": (),
    "frontier/revisits.py": ("tests/frontier/test_reorder.py",),
    "shards/writer.py": (),
    "shards/committed.py": (),
    "crawl/commit.py": ("tests/crawl/test_record.py",),
    "crawl/commits.py": (),
    "crawl/record.py": (),
    "crawl/revisit.py": (),
    "crawl/directory.py": (
        "tests/crawl/test_changes.py",
        "tests/crawl/test_preflight.py",
        "tests/crawl/test_forged.py::test_wrong_types_in_the_identity_are_one_sentence",
    ),
    "crawl/control.py": (),
    "crawl/disk_watch.py": (),
    "files/own.py": ("tests/files/test_own_safety.py",),
    "fetch/guard.py": ("tests/fetch/test_forbidden.py",),
    "fetch/connections.py": ("tests/fetch/test_client.py",),
    "fetch/bandwidth.py": ("tests/fetch/test_shaper.py",),
    "fetch/address_gate.py": (),
    "fetch/retry_after.py": (),
    "fetch/decode.py": (),
    "robots/rules.py": ("tests/robots/test_rfc9309.py",),
    "robots/group.py": ("tests/robots/test_rfc9309.py",),
    "robots/policy.py": ("tests/robots/test_rfc9309.py", "tests/engine/test_robots_middleware.py"),
}
"""Path below webgraph_it/ → tests beside the one that mirrors it: fast ones, for each is run very often."""

SLOW = (
    "tests/crawl/test_commits.py::test_a_crawl_with_many_changes_commits_before_its_time",
    "tests/fetch/test_client.py::test_sixty_sockets_and_six_hundred_eager_hosts",
    "tests/fetch/test_shaper.py::test_no_second_holds_more_than_the_cap_and_a_minute_is_used_up",
    "tests/frontier/test_frontier.py::test_the_frontier_is_its_model_on_disk",
    "tests/frontier/test_frontier.py::test_the_frontier_is_its_model_when_memory_is_ample",
)
"""Tests that are left out: others of the same file judge the same, in less time."""


class Safety(NamedTuple):
    """A safety call that is left out, or turned into the mistake that it prevents."""

    what: str
    mutant: Mutant
    tests: tuple[str, ...]


def _row(what: str, module: str, old: str, new: str, *tests: str) -> Safety:
    return Safety(what, Mutant(f"webgraph_it.{module}", old, new), tests)


DIRECTORY = "tests/crawl/test_directory.py"
INGEST = "tests/ingest/test_ingest.py"
FILES = "tests/files/test_own_safety.py"
CLIENT, FORBIDDEN, PARSER = (
    "tests/fetch/test_client.py",
    "tests/fetch/test_forbidden.py",
    "tests/fetch/test_response_parser.py",
)
SHAPER, CONNECTION, DECODE = (
    "tests/fetch/test_shaper.py",
    "tests/fetch/test_connection.py",
    "tests/fetch/test_decode.py",
)
SANDBOX, WORKERS, BAD_REPLIES = (
    "tests/extract/test_sandbox.py",
    "tests/extract/test_workers.py",
    "tests/extract/test_bad_replies.py",
)
EXTENSION, SCHEDULER = "tests/engine/test_extension.py", "tests/engine/test_scheduler.py"
LOCATOR, VISIT = "tests/engine/test_locator.py", "tests/crawl/test_visit.py"
NO_DESCRIPTORS = (
    "tests/crawl/test_local_failures.py::"
    "test_without_file_descriptors_urls_wait_and_nothing_counts_against_a_host"
)
TURNS, GATE = "tests/frontier/test_turns.py", "tests/fetch/test_address_gate.py"
DISK = "tests/crawl/test_stop.py::test_below_min_free_disk_the_crawl_pauses_and_says_so"

SAFETY: tuple[Safety, ...] = (
    *(
        Safety(f"sync: {what}", mutant, (FILES if "files.own" in mutant.module else DURABLE,))
        for what, mutant in CRAWL_SYNCS.items()
    ),
    _row("sync: after a cut", "shards.writer", "        os.ftruncate(descriptor, length)\n        os.fsync(descriptor)\n",
         "        os.ftruncate(descriptor, length)\n", "tests/shards/test_writer.py"),
    _row("sync: of a file or folder", "files.own", "    try:\n        os.fsync(descriptor)\n    finally:\n        os.close(descriptor)\n",
         "    os.close(descriptor)\n", FILES),
    _row("sync: a part of the graph", "convert.job", "            sync_tree(staged)\n", "", CONVERT_DURABLE),
    _row("sync: the name of a part", "convert.job", "            sync(final.parent)\n", "", CONVERT_DURABLE),
    _row("sync: graph.json is gone", "convert.steps", "        sync(job.out)  #", "        pass  #", CONVERT_DURABLE),
    _row("graph.json is removed before parts change", "convert.steps", '        (job.out / "graph.json").unlink()\n', "", CONVERT_DURABLE),
    _row("sync: an exported database", "files.whole_path", "        sync(folder / path.name)\n", "", "tests/convert/to/test_durable.py"),
    _row("sync: the name of that database", "files.whole_path", "    sync(path.parent)\n", "", "tests/convert/to/test_durable.py"),
    _row("ingest: how far a file was taken is committed with its pages", "frontier.harvest", "            self.before_freeze()\n", "            pass\n", INGEST),
    _row("ingest: an older capture does not replace a newer one", "ingest.captures", "            return OLDER\n", '            return ""\n', INGEST),
    _row("ingest: a file that was ingested is not read again", "ingest.ingest", "        taken.finished = True\n", "        pass\n", INGEST),
    _row("ingest: a record that swallowed others is not believed", "ingest.records", "        if _is_whole(file, held.position, candidate):\n", "        if candidate:\n", "tests/ingest/test_records.py"),
    _row("ingest: the sandbox of a reader", "ingest.reader", "            close_doors()\n", "            pass\n", "tests/ingest/test_ahead.py"),
    _row("ingest: the CPU time of a document", "ingest.reader", "        signal.setitimer(signal.ITIMER_PROF, cpu_seconds)\n", "        pass\n", "tests/ingest/test_ahead.py"),
    _row("ingest: what a reader says is checked", "ingest.frames", "        _check(found)\n", "", "tests/ingest/test_reading.py"),
    _row("ingest: a spool is bounded", "ingest.ahead", "                self._room.wait(1.0)\n", "                break\n", "tests/ingest/test_ahead.py"),
    _row("lock: of the crawl directory", "crawl.directory", "            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)\n",
         "            pass\n", DIRECTORY),
    _row("lock: a claim takes it", "crawl.directory", "        make_folder(self.path)\n        self.lock()\n", "        make_folder(self.path)\n", DIRECTORY),
    _row("lock: a second process is refused", "crawl.preflight", "        directory.lock()\n", "        pass\n", "tests/crawl/test_preflight.py"),
    _row("lock: of a conversion", "convert.job", "            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)\n",
         "            pass\n", "tests/cli/test_convert.py"),
    _row("guard: a foreign crawl directory", "crawl.directory", "        refuse_foreign(self.path)\n", "", DIRECTORY),
    _row("guard: the same before a resume", "crawl.preflight", "    refuse_foreign(directory.path)\n", "", "tests/crawl/test_preflight.py"),
    _row("guard: O_EXCL of a new file", "files.own", "os.O_CREAT | os.O_EXCL |", "os.O_CREAT |", FILES),
    _row("guard: O_NOFOLLOW of a new file", "files.own", "os.O_EXCL | os.O_NOFOLLOW |", "os.O_EXCL |", FILES),
    _row("guard: O_NOFOLLOW of a file of ours", "files.own", "flags | os.O_NOFOLLOW |", "flags |", FILES),
    _row("guard: whose file", "files.own", "        refuse_file(path, os.fstat(descriptor))\n", "        pass\n", FILES),
    _row("guard: whose folder", "files.own", "        refuse_folder(path)\n", "        pass\n", FILES),
    _row("close: a file that is refused", "files.own", "    except NotOursError:\n        os.close(descriptor)\n", "    except NotOursError:\n", FILES),
    _row("close: a synced file", "files.own", "        os.fsync(descriptor)\n    finally:\n        os.close(descriptor)\n",
         "        os.fsync(descriptor)\n    finally:\n        pass\n", FILES),
    _row("close: a shard of an earlier number", "shards.writer", "        self._operations_of_closed = self.operations\n        for file in self._files.values():\n            file.close()\n",
         "        self._operations_of_closed = self.operations\n", "tests/shards/test_writer.py"),
    _row("close: the shards at the end", "shards.writer", "        self._scribe.shutdown(wait=True)\n        for file in self._files.values():\n            file.close()\n",
         "        self._scribe.shutdown(wait=True)\n", "tests/shards/test_writer.py"),
    _row("close: the scribe is waited for", "shards.writer", "        self._scribe.shutdown(wait=True)\n", "        self._scribe.shutdown(wait=False)\n", "tests/shards/test_writer.py"),
    _row("guard: a failed write is never synced", "shards.writer", "        if self.failure:\n            raise self.failure\n", "", "tests/shards/test_writer.py"),
    _row("guard: a record that was not encoded is never synced", "shards.writer", "            if writer.failure is not None:\n                raise writer.failure\n", "            pass\n", "tests/warc/test_writer.py"),
    _row("archive: a page's exchange is kept", "crawl.record", "            self.archive.write(capture_of(page.exchange, page))\n", "            pass\n", "tests/crawl/test_archive.py"),
    _row("archive: robots.txt is kept", "spiders.national", "            self._pipeline.recorder.keep(exchange)\n", "            pass\n", "tests/crawl/test_archive.py"),
    _row("fleet: only a log with the same history is taken in", "fleet.exchange", "Verdict.APPLY if known and is_history(sender.runs, sender.log_end, cursor) else Verdict.FOREIGN", "Verdict.APPLY", "tests/fleet/test_exchange.py"),
    _row("fleet: a gap is refused", "fleet.exchange", "    if batch.begin > cursor.offset:\n        return Verdict.GAP\n", "", "tests/fleet/test_exchange.py"),
    _row("fleet: nothing is deleted before all have it", "fleet.exchange", "    if len(others) < size - 1:\n        return ()\n", "", "tests/fleet/test_exchange.py"),
    _row("fleet: no end while links are under way", "fleet.exchange", "            status.cursor(sender).offset == other.log_end\n", "            True\n", "tests/fleet/test_exchange.py"),
    _row("fleet: an old copy does not run", "crawl.contradictions", "        return contradiction(own, others)\n", "        return \"\"\n", "tests/crawl/test_contradictions.py", "tests/crawl/test_member.py"),
    _row("fleet: the epoch is committed first", "crawl.member", "        if not self._committed_at:\n            await self._commit()\n        if self._committed_at:\n            await self._put()\n            self.has_begun = True\n", "        await self._put()\n        self.has_begun = True\n", "tests/crawl/test_member.py"),
    _row("fleet: a cursor is part of the commit", "crawl.inbox", "        self._frontier.put_meta(META, json.dumps(self.cursors).encode())\n", "", "tests/crawl/test_member.py"),
    _row("fleet: what is out of scope is dropped", "crawl.inbox", "            if not (verdict.in_graph or verdict.fetchable):\n", "            if False:\n", "tests/crawl/test_member.py"),
    _row("fleet: an older twin is fenced off", "fleet.local", "        if known is not None and known.epoch > epoch:\n", "        if False:\n", "tests/crawl/test_member.py"),
    _row("fleet: a lent host is asked by nobody else", "robots.errands", "            return False\n        self._borrowed.add(host)\n        return True\n", "            return False\n        return True\n", "tests/robots/test_errands.py"),
    _row("guard: what was committed is compared", "shards.writer", "    verify(directory, committed)\n    sentences", "    sentences", "tests/shards/test_writer.py"),
    _row("guard: the old table is not written into", "frontier.rocks", "        Path(path).unlink(missing_ok=True)\n", "", "tests/frontier/test_rocks.py"),
    _row("guard: addresses of DNS", "fetch.dns", "self._guard.refusal(address) for", "None for", FORBIDDEN),
    _row("guard: addresses in URLs", "fetch.dns", "self._guarded((address,))", "Answer((address,))", FORBIDDEN),
    _row("guard: public addresses without a contact", "engine.parts", 'public=bool(settings["CONTACT_URL"])', "public=True", "tests/engine/test_handler.py"),
    _row("guard: bad ports", "fetch.client", "        if target.port in self._bad_ports:\n", "        if False:\n", CLIENT, FORBIDDEN),
    _row("cap: addresses of a name", "fetch.dns", "allowed[:MAX_ADDRESSES]", "allowed", "tests/fetch/test_dns.py"),
    _row("cap: sockets", "fetch.connections", "self.sockets >= self.cap or not self._may_open()", "not self._may_open()", "tests/fetch/test_connections.py"),
    _row("cap: a share that has ended", "fetch.connections", "self.sockets >= self.cap or not self._may_open()", "self.sockets >= self.cap", "tests/fetch/test_connections.py"),
    _row("share: its end stops the bytes", "fetch.shaper", "        if now >= self._part_until:\n", "        if False:\n", "tests/fetch/test_shaper.py"),
    _row("share: checked before a request is sent", "fetch.client", "        self._check_before_sending(connection, address)\n", "", "tests/fetch/test_address_gate.py"),
    _row("share: a broker that forgot waits", "fleet.shares", "NOTHING if now < self.began + SHARE_SECONDS else", "NOTHING if False else", "tests/fleet/test_shares.py"),
    _row("share: what is still used is recorded", "fleet.shares", "Amounts(*map(max, report.used, granted))", "granted", "tests/fleet/test_shares.py"),
    _row("share: what is under way ends with it", "crawl.budget", "        self._call_off()\n", "", "tests/crawl/test_budget.py"),
    _row("lease: an address must be leased", "frontier.turns", "        address.unleased = not self._is_leased(host.address, now)\n", "", "tests/frontier/test_turns.py"),
    _row("lease: a broker that forgot waits", "fleet.leases", "            if now < self.began + LEASE_SECONDS:\n                return None\n", "", "tests/fleet/test_leases.py"),
    _row("lease: a new holder waits first", "fleet.leases", "now + self._delay_seconds if name in granted.fresh else now", "now", "tests/fleet/test_leases.py"),
    _row("cap: a closed socket keeps its place", "fetch.connections", "        self.closing[name] = None\n", "", "tests/fetch/test_connections.py"),
    _row("cap: a socket that is gone frees its place", "fetch.connections", "            self.closing.pop(name, None)\n", "            pass\n", "tests/fetch/test_connections.py"),
    _row("cap: an unused place is given back", "fetch.client", "                self._grant(self.governor.give_back())\n            else:\n", "                pass\n            else:\n", CLIENT),
    _row("cap: whoever waits gives up", "fetch.client", "                self.governor.give_up(ticket)\n", "", CLIENT),
    _row("cap: an idle socket makes room", "fetch.client", "            place.close.close()\n", "            pass\n", CLIENT),
    _row("cap: requests that wait for a place", "engine.connection_middlewares", "return self._fetcher.room() if self._fetcher.crowded else None", "return None", "tests/engine/test_connection_middlewares.py"),
    _row("cap: few file descriptors", "crawl.preflight", '        settings.set("MAX_TCP_CONNECTIONS", most, priority=settings.getpriority("MAX_TCP_CONNECTIONS") or 0)\n', "        pass\n", "tests/crawl/test_preflight.py"),
    _row("close: a connection that failed", "fetch.connection", "        exchange, self._exchange = self._exchange, None\n        self.close()\n", "        exchange, self._exchange = self._exchange, None\n", CLIENT),
    _row("close: a connection without keep-alive", "fetch.connection", "        if not exchange.parser.reusable:\n            self.close()\n", "        if not exchange.parser.reusable:\n            pass\n", CLIENT),
    _row("close: a connection that speaks unasked", "fetch.connection", "        if exchange is None:  # nothing may arrive on an idle connection\n            self.close()\n", "        if exchange is None:  # nothing may arrive on an idle connection\n", CLIENT, CONNECTION),
    _row("close: the socket itself", "fetch.connection", "            self._transport.abort()\n", "            pass\n", CLIENT),
    _row("close: with a reset", "fetch.sockets", "    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)\n", "", CLIENT, CONNECTION, "tests/fetch/test_kernel.py"),
    _row("close: a cancelled exchange", "fetch.client", "        except asyncio.CancelledError:\n            connection.close()\n            raise\n        finally:\n            self.exchanging", "        except asyncio.CancelledError:\n            raise\n        finally:\n            self.exchanging", CLIENT),
    _row("close: a connection that cannot be made", "fetch.client", "                sock.close()\n", "                pass\n", CLIENT),
    _row("close: a place whose connection cannot be made", "fetch.client", "        except BaseException as error:\n            connection.close()\n", "        except BaseException as error:\n", CLIENT),
    _row("close: what rested too long", "fetch.client", "        for connection in self.governor.idle_since(loop.time() - self.settings.idle_seconds):\n            connection.close()\n", "", CLIENT),
    _row("close: idle connections at the end", "fetch.client", '        for connection in self.governor.idle_since(float("inf")):\n            connection.close()\n', "", CLIENT),
    _row("close: the DNS channels", "fetch.client", "        self._resolver.close()\n", "", CLIENT),
    _row("charge: bytes that are read", "fetch.connection", "            if self._shaper.received(nbytes + self._shaken_bytes, self):\n                self._pause()\n", "            pass\n", CONNECTION),
    _row("charge: a pause holds", "fetch.connection", "                self._pause()\n", "                pass\n", CONNECTION),
    _row("charge: the shaper's bucket", "fetch.shaper", "        if self._bucket.take(charge, now) == 0.0 and not self._readers:\n", "        if not self._readers:\n", SHAPER),
    _row("charge: the debt", "fetch.bandwidth", "        self._debt_bytes += nbytes\n", "", "tests/fetch/test_bandwidth.py"),
    _row("charge: a connection that closes leaves the line", "fetch.connection", "            self._shaper.forget(self)\n", "            pass\n", CONNECTION, SHAPER),
    _row("charge: new downloads wait", "engine.bandwidth_middleware", "return None if self._shaper.may_start else self._shaper.admit()", "return None", "tests/engine/test_bandwidth_middleware.py"),
    _row("charge: the fetcher has the shaper", "engine.parts", "crawler.stats.inc_value, shaper)", "crawler.stats.inc_value)", "tests/engine/test_parts.py"),
    _row("charge: the plan sets the fetcher's shaper", "engine.bandwidth_middleware", "parts_of(crawler).shaper, crawler.stats", "Shaper(time.monotonic, lambda *_: None, math.inf), crawler.stats", "tests/engine/test_parts.py"),
    _row("cap: body", "fetch.response_parser", "        if len(data) > room:\n", "        if False:\n", PARSER),
    _row("cap: head", "fetch.response_parser", "        if self._head_size > self._limits.head_bytes:\n", "        if False:\n", PARSER),
    _row("cap: a head that never ends", "fetch.response_parser", "            self._count_head(len(data))\n", "            pass\n", PARSER),
    _row("cap: number of headers", "fetch.response_head", "    if len(lines) > header_count:\n", "    if False:\n", PARSER),
    _row("cap: framing of chunks", "fetch.response_parser", "        if self._framing_size > self._limits.framing_bytes:\n            self._cut(CUT_FRAMING)\n            return after\n", "", PARSER),
    _row("cap: decoded bytes", "fetch.decode", "            raise _Full\n        self.decoded", "        self.decoded", DECODE),
    _row("cap: layers of codings", "fetch.decode", "    if len(layers) > MAX_LAYERS:\n", "    if False:\n", DECODE),
    _row("cap: an inner layer", "fetch.decode", "if layers else cap_bytes", "if False else cap_bytes", DECODE),
    _row("cap: members of gzip", "fetch.decode", "range(MAX_MEMBERS)", "range(1 << 30)", DECODE),
    _row("cap: zstd's window", "fetch.decode", "max_window_size=_ZSTD_WINDOW_BYTES", "", DECODE),
    _row("timeout: an exchange", "fetch.connection", "        self._set_timer(min(exchange.deadline, exchange.last_byte_at + exchange.silence_seconds))\n        if self._tls", "        if self._tls", CLIENT),
    _row("sandbox: limits", "extract.sandbox", "            resource.setrlimit(limit, (most, most))\n", "            pass\n", SANDBOX),
    _row("sandbox: no new rights", "extract.sandbox", "    return _prctl(_PR_SET_NO_NEW_PRIVS, 1)\n", "    return True\n", SANDBOX),
    _row("sandbox: Landlock", "extract.sandbox", "bool(_libc.syscall(_LANDLOCK_RESTRICT_SELF, ruleset, 0) == 0)", "True", SANDBOX),
    _row("sandbox: seccomp", "extract.sandbox", "    return _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, header)\n", "    return True\n", SANDBOX),
    _row("sandbox: workers enter it", "extract.worker", "    return sandbox.enter()\n", "    return tuple(sandbox.MEASURES)\n", SANDBOX),
    _row("sandbox: minimal environment", "extract.process", "            env=_environment(),\n", "", SANDBOX),
    _row("sandbox: no modules of the working directory", "extract.process", '"-P", ', "", SANDBOX),
    _row("limit: a worker's memory", "extract.worker", "    resource.setrlimit(resource.RLIMIT_AS, (allowed, hard))\n", "", f"{WORKERS}::test_documents_around_one_that_exhausts_memory_are_not_lost"),
    _row("limit: a worker's CPU time", "extract.worker", "        signal.setitimer(signal.ITIMER_PROF, cpu_seconds)\n", "", f"{WORKERS}::test_documents_around_one_that_takes_too_long_are_not_lost"),
    _row("kill: a worker that does not answer", "extract.process", "            self.overdue = True\n            self._process.kill()\n", "            self.overdue = True\n", f"{WORKERS}::test_a_worker_that_does_not_answer_is_killed_after_its_ticks_and_an_idle_one_never"),
    _row("kill: a worker that lies", "extract.process", "        self.leaving = True\n        self._process.kill()\n", "        self.leaving = True\n", f"{WORKERS}::test_a_worker_that_lies_is_killed_and_read_no_more"),
    _row("kill: a worker that lingers", "extract.process", "        self._process.kill()\n        return self._process.wait()\n", "        return self._process.wait()\n", f"{WORKERS}::test_a_worker_that_lingers_is_killed"),
    _row("cap: a worker's reply", "extract.frames", "    if meta > MAX_META_BYTES or names > _MAX_NAMES_BYTES or count > MAX_LINKS:\n", "    if False:\n", "tests/extract/test_frames.py", BAD_REPLIES),
    _row("guard: robots.txt", "engine.robots_middleware", "not self._policy.allowed(record, request.url)", "False", "tests/engine/test_robots_middleware.py"),
    _row("guard: robots.txt that is not known", "engine.robots_middleware", "record is None or not self._policy", "record is not None and not self._policy", "tests/engine/test_robots_middleware.py"),
    _row("guard: scope of requests", "engine.scope_middlewares", "        raise OutOfScope(url, reason, state)\n", "", "tests/engine/test_scope_middlewares.py"),
    _row("guard: a lease", "engine.lease_middleware", "        if lease is None:\n            raise", "        if lease is None:\n            return\n            raise", "tests/engine/test_lease_middleware.py"),
    _row("delay: of a host", "frontier.politeness", "            self.host_delay_seconds,\n            min(crawl", "            0.0,\n            min(crawl", "tests/frontier/test_politeness.py"),
    _row("delay: Crawl-delay", "frontier.politeness", "            min(crawl_delay_seconds or 0.0, self.crawl_delay_max_seconds),\n", "", "tests/frontier/test_politeness.py"),
    _row("delay: Retry-After", "frontier.politeness", "            wait = max(wait, min(outcome.retry_after_seconds, self.retry_after_max_seconds))\n", "            pass\n", "tests/frontier/test_politeness.py"),
    _row("delay: a host before its time", "frontier.turns", "        if ready_at <= now:\n", "        if True:\n", TURNS),
    _row("delay: of an address in the frontier", "frontier.turns", "                if self._admitted(host, now):\n", "                if True:\n", TURNS),
    _row("delay: an address waits for who is on the way", "frontier.turns", "        address.visitor, address.visitor_until = host, now + ON_THE_WAY_SECONDS\n", "", TURNS),
    _row("delay: between two offers of an address", "frontier.turns", "        address.offered_until = now + self._delay\n", "", TURNS),
    _row("delay: nobody overtakes the crowd of an address", "frontier.turns", "address.free_at > now or (not first and (address.crowd or address.called))", "address.free_at > now", TURNS),
    _row("delay: an address that was used", "frontier.turns", "        address.used_until = max(address.used_until, when + self._delay)\n", "", TURNS),
    _row("delay: of an address at the socket", "fetch.address_gate", "network in self._busy or self._clock.ready_at(name, now) > now", "network in self._busy", GATE),
    _row("delay: one request at a time per address", "fetch.address_gate", "network in self._busy or self._clock", "self._clock", GATE),
    _row("delay: the address is told", "fetch.address_gate", "        self._clock.used(text_of(address), when)\n", "", GATE),
    _row("delay: requests go through the gate", "fetch.client", "        gate.enter(address)\n        seen = SeenOnce(partial(gate.leave, address))\n", "        seen = SeenOnce(lambda when: None)\n", GATE),
    _row("delay: who fails leaves the gate", "fetch.client", "        finally:\n            seen()\n", "        finally:\n            pass\n", GATE),
    _row("delay: a slow server is taken to have seen the request", "fetch.client", "            seen.assume_after(ASSUMED_SEEN_SECONDS, loop)\n", "            pass\n", GATE),
    _row("delay: the fetcher uses the frontier's clock", "engine.extension", "            fetcher.use_clock(AddressClock(scheduler))\n", "", EXTENSION),
    _row("delay: who is put off takes its turn at the address", "engine.scheduler", 'busy_address=address if is_its_own else "")', 'busy_address="")', SCHEDULER),
    _row("delay: who is put off elsewhere books a turn", "engine.scheduler", "now if is_its_own else self.frontier.book_address(address, now)", "now", SCHEDULER),
    _row("delay: a request to be sent again books a turn", "engine.scheduler", "            self._again.put(request, self.frontier.book_address(address, now))\n", "            self._again.put(request, now)\n", SCHEDULER),
    _row("lease: who is put off goes back", "engine.downloader", "            self._crawler.engine.scheduler.put_off(request, busy.address)  #", "            pass  #", "tests/engine/test_downloader.py"),
    _row("lease: it ends once", "engine.scheduler", "        if self._leases.get(lease.digest) is not lease:\n            return\n        if request.meta", "        if request.meta", SCHEDULER),
    _row("lease: a change that fails ends the crawl", "engine.one_step", "            self.fail(error)\n", "", SCHEDULER),
    _row("locate: before a host is leased", "engine.extension", "            scheduler.frontier.locate_first()\n", "", EXTENSION),
    _row("locate: somebody does", "engine.extension", "            scheduler.locate = Locator(scheduler, fetcher).look\n", "", EXTENSION),
    _row("locate: at every look for requests", "engine.scheduler", "                self.locate()\n", "                pass\n", SCHEDULER),
    _row("locate: strangers are kept", "frontier.turns", "            elif self.keeps_strangers and not host.looked_up:\n", "            elif False:\n", TURNS),
    _row("locate: not after the end, nor in a pause", "engine.locator", "        if scheduler.ended or scheduler.paused or scheduler.held:\n            return\n", "", LOCATOR),
    _row("cap: lookups at once", "engine.locator", "        while begun < AT_A_TIME and self._under_way < MAX_AT_ONCE:\n", "        while begun < AT_A_TIME:\n", LOCATOR),
    _row("cap: lookups a second", "engine.locator", "        if self._pause is None and self._under_way < MAX_AT_ONCE:\n", "        if self._under_way < MAX_AT_ONCE:\n", LOCATOR),
    _row("cap: an answered lookup makes room", "engine.locator", "        self._under_way -= 1\n", "", LOCATOR),
    _row("local: nothing counts against the host", "crawl.visit", "    if meaning.goes_back:\n", "    if False:\n", VISIT),
    _row("local: a pause before the next try", "crawl.visit", "GiveBack(LOCAL_PAUSE_SECONDS if is_local(reason) else 0.0)", "GiveBack(0.0)", VISIT),
    _row("local: that pause is kept", "engine.scheduler", "max(self.frontier.host_delay(lease.host), pause_seconds)", "self.frontier.host_delay(lease.host)", SCHEDULER),
    _row("local: the host rests", "engine.scheduler", "            delay = max(self.frontier.host_delay(lease.host), pause_seconds)\n", "            delay = pause_seconds\n", SCHEDULER),
    _row("local: the URL goes back", "spiders.national", "                scheduler.give_back(lease, pause_seconds=decision.pause_seconds)\n", "                pass\n", NO_DESCRIPTORS),
    _row("local: the operator is told", "spiders.national", "            logger.warning(words)\n", "            pass\n", NO_DESCRIPTORS),
    _row("local: the suffix list is read before descriptors are short", "frontier.traps", "            load_suffixes()\n", "            pass\n", "tests/frontier/test_traps.py"),
    _row("local: all of it is read", "urls.domains", "    _extractor()\n    site_above(\"it,a,b\")\n", "    pass\n", "tests/urls/test_domains.py"),
    _row("pause: MIN_FREE_DISK", "crawl.disk_watch", "short and self._control.pause(REASON)", "False", "tests/crawl/test_disk_watch.py"),
    _row("pause: the disk is looked at", "engine.running", "        every(DISK_SECONDS, self._watch_disk, at_once=True)\n", "", DISK),
    _row("pause: URLs are held", "crawl.control", "            self._hold(True)\n", "            pass\n", "tests/crawl/test_control.py"),
)  # fmt: skip

EQUIVALENT: dict[tuple[str, str, str], str] = {
    (
        "shards/writer.py",
        "newest = max(map(number_of, committed), default=0)",
        "newest = max(map(number_of, committed), default=1)",
    ): "without a committed file there is nothing to compare with",
    (
        "shards/writer.py",
        "elif size > kept:",
        "elif size >= kept:",
    ): "a cut to the length that it has changes nothing",
    ("crawl/commit.py", "if checkpoint:", "if (not checkpoint):"): "decides only which kill point is passed",
    (
        "fetch/bandwidth.py",
        "FIRST_GUESS_BYTES = 24 * 1024",
        "FIRST_GUESS_BYTES = 25 * 1024",
    ): "a guess, replaced by what is measured",
    (
        "fetch/bandwidth.py",
        "return self._debt_bytes / (TARGET * self._rate) if self._debt_bytes > 0.0 else 0.0",
        "return self._debt_bytes / (TARGET * self._rate) if self._debt_bytes >= 0.0 else 0.0",
    ): "no debt is paid in no time",
    (
        "fetch/decode.py",
        "fed, piece = 0, stream.unconsumed_tail",
        "fed, piece = 1, stream.unconsumed_tail",
    ): "counts a thousandth more work for each 128 KB",
    (
        "fetch/decode.py",
        "if output.fed(0):",
        "if output.fed(1):",
    ): "counts a thousandth more work for each 128 KB",
    (
        "shards/writer.py",
        "while chunk := file.read(min(length, 1 << 20)):",
        "while chunk := file.read(min(length, 2 << 20)):",
    ): "how much is read at once changes no checksum",
    (
        "shards/writer.py",
        "while chunk := file.read(min(length, 1 << 20)):",
        "while chunk := file.read(min(length, 1 << 21)):",
    ): "how much is read at once changes no checksum",
    (
        "shards/writer.py",
        "while chunk := file.read(min(length, 1 << 20)):",
        "while chunk := file.read(min(length, 1 << 19)):",
    ): "how much is read at once changes no checksum",
}
"""(path, the line as it is, the line as it becomes), stripped → why no test can notice."""

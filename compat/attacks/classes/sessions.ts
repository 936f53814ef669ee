/** Guessing at passwords, and sessions that should have ended. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CapstanProcess, startCapstan } from "@capstan/testkit";
import { passwords } from "../accounts.ts";
import type { Attack, AttackWorld } from "../attack.ts";
import { deploys } from "../deploy.ts";
import { filesBelow } from "../files-below.ts";
import { sendRaw } from "../raw-request.ts";

interface Login {
  username: string;
  password: string;
  from: string;
  headers?: Record<string, string>;
}

function logIn(at: { url: string }, { username, password, from, headers }: Login) {
  const body = JSON.stringify({ username, password });
  const all = { "content-type": "application/json", ...headers };
  return sendRaw(at, { method: "POST", path: "/api/v1/session", headers: all, body, from });
}

async function guess({ at }: AttackWorld, login: Login, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1)
    assert.equal((await logIn(at, { ...login, password: `guess-${count}` })).status, 401);
}

const throttled =
  "failures are counted by account and address; X-Forwarded-For counts of listed proxies alone";
const secretValue = Buffer.from("rendered-canary").toString("base64");

export const attacks: readonly Attack[] = [
  {
    id: "sessions/cookie-at-another-port",
    threat:
      "Whatever listens on another port of this host is sent the page's cookie, and shows it to Capstan",
    heldBy: "a page's session counts with a secret alone that the browser keeps for the page's own port",
    play: async (world) => {
      const page = { "x-capstan-page": "what the page keeps" };
      const body = { username: "alice", password: passwords.alice };
      const own = await world.ask("nobody", "POST /api/v1/session", { headers: page, body });
      const cookie = String(own.headers.get("set-cookie")).replace(/;.*/, "");
      const token = cookie.replace(/^[^=]*=/, "");
      const see = async (headers: Record<string, string>) =>
        (await world.ask("nobody", "GET /api/v1/applications", { headers })).status;
      assert.equal(await see({ cookie, ...page }), 200);
      for (const stolen of [{ cookie }, { authorization: `Bearer ${token}` }])
        for (const guessed of [{}, { "x-capstan-page": "a guess" }, { "x-capstan-page": "" }])
          assert.equal(await see({ ...stolen, ...guessed }), 401);
      await world.assertUnharmed([]);
    },
  },
  {
    id: "sessions/guessing-at-a-password",
    threat: "Somebody tries passwords one after the other, each time with another X-Forwarded-For",
    heldBy: throttled,
    advisories: ["CVE-2020-8827", "CVE-2024-21662"],
    play: async (world) => {
      const login = { username: "bob", password: "", from: "127.0.0.2" };
      for (let count = 0; count < 5; count += 1) {
        const headers = { "x-forwarded-for": `203.0.113.${count}` };
        await guess(world, { ...login, headers }, 1);
      }
      const right = { ...login, password: passwords.bob, headers: { "x-forwarded-for": "203.0.113.99" } };
      assert.equal((await logIn(world.at, right)).status, 401);
      await world.assertUnharmed([]);
    },
  },
  {
    id: "sessions/locking-out-the-owner",
    threat: "Somebody locks an account for everybody with five wrong passwords",
    heldBy: `${throttled}: the owner comes in from another address`,
    advisories: ["CVE-2024-21652"],
    play: async (world) => {
      await guess(world, { username: "carol", password: "", from: "127.0.0.3" }, 8);
      const owner = { username: "carol", password: passwords.carol, from: "127.0.0.4" };
      assert.equal((await logIn(world.at, owner)).status, 200);
      await world.assertUnharmed([]);
    },
  },
  {
    id: "sessions/flood-of-logins",
    threat: "Somebody sends logins in parallel: comparing passwords kept everybody waiting for seconds",
    heldBy: "passwords are compared in a thread; one address has some places of its queue only",
    advisories: ["CVE-2024-21661"],
    play: async (world) => {
      let answered = 0;
      const flood = Array.from({ length: 60 }, async (_, count) => {
        const from = "127.0.0.5";
        const answer = await logIn(world.at, { username: `flood-${count}`, password: "x", from });
        if (answer.status === 401) answered += 1;
        return answer;
      });
      const health = await fetch(`${world.at.url}/healthz`);
      assert.equal(health.status, 200);
      const before = answered;
      const owner = { username: "carol", password: passwords.carol, from: "127.0.0.4" };
      assert.equal((await logIn(world.at, owner)).status, 200);
      const statuses = (await Promise.all(flood)).map(({ status }) => status);
      assert.ok(statuses.every((status) => status === 401 || status === 429));
      // However slow the machine is: while passwords are compared, not after all of them.
      assert.ok(before < answered, `${before} of ${answered} were compared before others had an answer`);
      await world.assertUnharmed([]);
    },
  },
  {
    id: "sessions/which-accounts-there-are",
    threat: "Somebody tells accounts that exist from others by the answer to a wrong password",
    heldBy: "one answer for all, and a comparison that costs the same",
    advisories: ["CVE-2020-11576"],
    play: async (world) => {
      const asked = ["carol", "nobody-of-that-name", ""].map((username) =>
        logIn(world.at, { username, password: "wrong", from: "127.0.0.6" }),
      );
      const answers = await Promise.all(asked);
      assert.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
      await world.assertUnharmed([]);
    },
  },
  {
    id: "sessions/codes-in-the-log",
    threat: "Somebody logs in with a name of control codes and line ends, to forge lines and move a cursor",
    heldBy: "the log shows control characters as text, and the account as quoted text",
    advisories: ["CVE-2021-25743"],
    play: async (world) => {
      const username = "\x1b[2J\nWARN forged";
      await logIn(world.at, { username, password: "x", from: "127.0.0.7" });
      await world.capstan.untilPrinted(/login failed account="\\u001b\[2J\\nWARN forged"/);
      assert.ok(!world.capstan.output().includes("\x1b"));
      await world.assertUnharmed([]);
    },
  },
  {
    id: "sessions/after-a-restart",
    threat: "A token that was logged out is used, or guessing at a password goes on, after a kill -9",
    heldBy: "ended sessions and refused guessers are kept in Secrets before they hear of it",
    advisories: ["CVE-2024-21652"],
    play: async (world) => {
      const dataDir = await mkdtemp(join(tmpdir(), "capstan-sessions-"));
      try {
        const flags = ["--no-samples"];
        await using first = await startCapstan({ dataDir, flags });
        const token = await tokenOfAdmin(first);
        const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
        const path = "/api/v1/session";
        assert.equal((await sendRaw(first, { method: "DELETE", path, headers })).status, 200);
        const guesser = { username: "admin", password: "x", from: "127.0.0.9" };
        for (let count = 0; count < 5; count += 1) assert.equal((await logIn(first, guesser)).status, 401);
        await first.kill("SIGKILL");
        await using second = await startCapstan({ dataDir, flags });
        const answer = await sendRaw(second, { path: "/api/v1/applications", headers });
        assert.equal(answer.status, 401, answer.text);
        const password = (await readFile(join(dataDir, "admin-password"), "utf8")).trim();
        assert.equal((await logIn(second, { ...guesser, password })).status, 401);
      } finally {
        await rm(dataDir, { recursive: true, force: true });
      }
      await world.assertUnharmed([]);
    },
  },
  {
    id: "sessions/rendered-secrets-on-disk",
    threat: "Whoever reads the data folder or a backup of it finds the Secrets that charts rendered",
    heldBy: "what holds a Secret is in no cache on disk",
    play: async (world) => {
      const chart = "apiVersion: v2\nname: c\nversion: 1.0.0\n";
      const value = '{{ printf "%s-%s" "rendered" "canary" | b64enc }}';
      const template = `apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\ndata:\n  v: ${value}\n`;
      const files = () => ({ "app/Chart.yaml": chart, "app/templates/s.yaml": template });
      await deploys("rendered-secret", { files, ends: { harmless: true } })(world);
      const folder = join(world.at.dataDir, "render");
      for (const { path, content } of await filesBelow(folder))
        assert.ok(!content.includes(secretValue), `${path} holds the Secret`);
    },
  },
];

async function tokenOfAdmin(capstan: CapstanProcess): Promise<string> {
  const password = (await readFile(join(capstan.dataDir, "admin-password"), "utf8")).trim();
  const answer = await logIn(capstan, { username: "admin", password, from: "127.0.0.1" });
  return /"token":"([^"]+)"/.exec(answer.text)?.[1] ?? "";
}

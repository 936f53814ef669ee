/** What strangers send to /api/webhook. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { eventually, untilApplication } from "@capstan/testkit";
import type { Attack, AttackWorld } from "../attack.ts";
import { fineConfigMap } from "../config-maps.ts";
import { deployFine, fetchesOf } from "../deploy.ts";
import { sendRaw } from "../raw-request.ts";
import { asks } from "../request.ts";

const path = () => "/api/webhook";
const slashes = `https://git.example/${"/".repeat(60_000)}x`;

async function setSecrets(world: AttackWorld, secrets: Record<string, string | null>): Promise<void> {
  const ref = { apiVersion: "v1", kind: "Secret", namespace: "argocd", name: "argocd-secret" };
  const entries = Object.entries(secrets).map(([key, value]) => [
    `webhook.${key}`,
    value === null ? null : Buffer.from(value).toString("base64"),
  ]);
  const body = { data: Object.fromEntries(entries) };
  await world.capstan.kube.patch(ref, { type: "merge", body }, { signal: AbortSignal.timeout(60_000) });
}

const turns = new WeakMap<AttackWorld, Promise<unknown>>();

/** One after the other: while one sender has a secret, no message of another is read at all. */
function inTurn(play: Attack["play"]): Attack["play"] {
  return (world) => {
    const turn = (turns.get(world) ?? Promise.resolve()).then(() => play(world));
    turns.set(
      world,
      turn.catch(() => undefined),
    );
    return turn;
  };
}

const untilCounts = (what: string, counts: () => Promise<boolean>) =>
  eventually(async () => (await counts()) || undefined, {
    signal: AbortSignal.timeout(60_000),
    describe: () => `${what} does not count`,
  });

const push = (event: object) => ({ ref: "refs/heads/main", repository: event });

const secret = "s3cret";
const signature = (body: string) => `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

/** An application of alice's; and, once it is at a commit made then, how often its repository was fetched meanwhile. */
async function follow(world: AttackWorld, name: string) {
  const repository = await deployFine(world, name);
  const before = fetchesOf(world, name);
  const untilAtHead = async () => {
    const other = fineConfigMap.replace(/name: .*/, "name: b");
    const revision = await repository.commit({ "app/b.yaml": other });
    await world.ask("alice", `GET /api/v1/applications/${name}?refresh=normal`);
    await untilApplication(world.capstan.kube, name, (view) => view.revision === revision);
    return fetchesOf(world, name) - before;
  };
  return { repository, untilAtHead };
}

export const attacks: readonly Attack[] = [
  {
    id: "webhooks/address-of-slashes",
    threat:
      "Somebody sends a push whose repository's address is 60,000 slashes: it blocked everything for 48 s",
    heldBy: "addresses are read in linear time, and longer ones than 2,048 characters are none",
    advisories: ["CVE-2024-40634"],
    play: inTurn(async (world) => {
      const headers = { "x-github-event": "push" };
      const names = ["html_url", "clone_url", "ssh_url", "git_url", "svn_url"];
      const repository = Object.fromEntries(names.map((name) => [name, slashes]));
      const sent = world.ask("nobody", "POST /api/webhook", { headers, body: push(repository) });
      const health = await fetch(`${world.at.url}/healthz`, { signal: AbortSignal.timeout(40_000) });
      assert.equal(health.status, 200);
      assert.equal((await sent).status, 200);
      await world.assertUnharmed([]);
    }),
  },
  {
    id: "webhooks/large-body",
    threat: "Somebody without the secret sends large bodies, which are kept in memory and parsed",
    heldBy: "5 MB are read of a message whose secret is not proved",
    advisories: ["CVE-2024-40634"],
    play: asks({
      who: "nobody",
      method: "POST",
      path,
      headers: { "x-github-event": "push" },
      body: () => `{"x":"${"x".repeat(6 * 1024 * 1024)}"}`,
      status: [413],
    }),
  },
  {
    id: "webhooks/malformed-messages",
    threat: "Somebody sends messages whose fields are missing or of another kind, to end the server",
    heldBy: "every field of a message is read as if it may be anything",
    advisories: ["CVE-2025-59531", "CVE-2025-59537", "CVE-2025-59538"],
    play: inTurn(async (world) => {
      const senders = [
        { "x-github-event": "push" },
        { "x-gogs-event": "push" },
        { "x-gitlab-event": "Push Hook" },
        { "x-hook-uuid": "x", "x-event-key": "repo:push" },
        { "x-event-key": "repo:refs_changed" },
        { "x-vss-activityid": "x" },
      ];
      const messages = [
        "null",
        "[]",
        "{}",
        '{"ref":7,"repository":[],"commits":"x","changes":[],"push":{"changes":[]}}',
        '{"ref":"","repository":{"links":{"clone":"not-a-list"}},"resource":{"refUpdates":[]}}',
        `{"eventType":"git.push","object_kind":"push","commits":[null,{"added":[{}]}],"changes":[{"ref":{}}]}`,
        "[".repeat(100_000),
      ];
      for (const headers of senders)
        for (const body of messages) {
          const { status } = await world.ask("nobody", "POST /api/webhook", { headers, body });
          assert.ok(
            status === 200 || status === 400,
            `${JSON.stringify(headers)} ${body.slice(0, 40)}: ${status}`,
          );
        }
      assert.equal((await sendRaw(world.at, { path: "/healthz" })).status, 200);
      await world.assertUnharmed([]);
    }),
  },
  {
    id: "webhooks/of-a-sender-without-a-secret",
    threat:
      "With GitHub's secret set, somebody sends a message as GitLab, Gogs, Bitbucket or Azure without any",
    heldBy: "once one sender has a secret, each needs its own; signatures are compared in constant time",
    play: inTurn(async (world) => {
      await setSecrets(world, { "github.secret": "s3cret" });
      try {
        const others = [
          { "x-github-event": "push" },
          { "x-github-event": "push", "x-hub-signature-256": "sha256=00" },
          { "x-gogs-event": "push" },
          { "x-github-event": "push", "x-gitea-event": "push" },
          { "x-gitlab-event": "Push Hook" },
          { "x-gitlab-event": "Push Hook", "x-gitlab-token": "" },
          { "x-hook-uuid": "x" },
          { "x-event-key": "repo:refs_changed" },
          { "x-vss-activityid": "x" },
        ];
        const refused = async (headers: Record<string, string>) => {
          const answer = await world.ask("nobody", "POST /api/webhook", { headers, body: push({}) });
          return answer.status;
        };
        await untilCounts("GitHub's secret", async () => (await refused(others[0] ?? {})) === 401);
        for (const headers of others)
          assert.equal(await refused({ ...headers }), 401, JSON.stringify(headers));
      } finally {
        await setSecrets(world, { "github.secret": null });
      }
      await world.assertUnharmed([]);
    }),
  },
  {
    id: "webhooks/commit-of-nobody",
    threat:
      "Somebody without a secret tells of a commit that is on no branch, as of a fork, to have it fetched and kept",
    heldBy: "what a push names is fetched ahead only where its sender has proved who it is",
    play: inTurn(async (world) => {
      const { repository, untilAtHead } = await follow(world, "commit-of-nobody");
      const forks = await repository.commit({ "app/a.yaml": "a fork's" });
      await repository.git("reset", "--hard", "--quiet", "HEAD~1");
      const headers = { "x-github-event": "push" };
      const body = { ...push({ clone_url: repository.url, default_branch: "main" }), after: forks };
      assert.equal((await world.ask("nobody", "POST /api/webhook", { headers, body })).status, 200);
      assert.equal(await untilAtHead(), 1, "more was fetched than the branch");
      await world.assertUnharmed([]);
    }),
  },
  {
    id: "webhooks/commit-that-is-none",
    threat:
      "Somebody who knows the secret, as whoever sets up a webhook does, tells of a commit that is none, for which all of a repository's history would be fetched",
    heldBy: "what a push names is fetched by its id or not at all",
    play: inTurn(async (world) => {
      const { repository, untilAtHead } = await follow(world, "commit-that-is-none");
      const after = "5".repeat(40);
      const body = JSON.stringify({ ...push({ clone_url: repository.url, default_branch: "main" }), after });
      const headers = { "x-github-event": "push", "x-hub-signature-256": signature(body) };
      await setSecrets(world, { "github.secret": secret });
      try {
        const send = async (signed: object) =>
          (await world.ask("nobody", "POST /api/webhook", { headers: { ...headers, ...signed }, body }))
            .status;
        await untilCounts("GitHub's secret", async () => (await send({ "x-hub-signature-256": "" })) === 401);
        assert.equal(await send({}), 200);
        assert.equal(await untilAtHead(), 2, "more was asked for than that commit and the branch");
      } finally {
        await setSecrets(world, { "github.secret": null });
      }
      await world.assertUnharmed([]);
    }),
  },
  {
    id: "webhooks/of-a-registry",
    threat:
      "Somebody tells pushes of images as a registry: without its secret, with another's, or with fields of any kind",
    heldBy: "each registry needs a secret of its own, and every field is read as if it may be anything",
    play: inTurn(async (world) => {
      const types = [
        "docker.io",
        "quay.io",
        "harbor",
        "acr",
        "aliyun-acr",
        "artifact-registry",
        "cloudevents",
        "__proto__",
      ];
      const tell = async (type: string, body: object | string, secret?: string) => {
        const line = `POST /api/webhook?type=${type}${secret === undefined ? "" : `&secret=${secret}`}`;
        return (await world.ask("nobody", line, { body })).status;
      };
      const event = { specversion: "1.0", type: "com.amazon.ecr.push", source: "urn:aws:ecr:a:b:c" };
      const messages = [
        "null",
        "[]",
        { action: "push", target: { repository: [] }, request: { host: { toString: 1 } } },
        { repository: { region: 7, namespace: {}, name: "x/../../y", repo_full_name: ["x"] } },
        { message: { data: Buffer.from("[".repeat(10_000)).toString("base64") } },
        { message: { data: Buffer.from('{"digest":"gcr.io/x@'.padEnd(60_000, "@")).toString("base64") } },
        { ...event, subject: ":".repeat(60_000), data: { repositoryName: {} } },
        { ...event, type: "image", source: `https://${"/.".repeat(30_000)}` },
      ];
      for (const type of types)
        for (const secret of [undefined, "", "wrong"])
          for (const body of messages) assert.ok([400, 401].includes(await tell(type, body, secret)), type);
      const own = types.slice(3, 7).map((type) => [`${type}.secret`, "s3cret"] as const);
      await setSecrets(world, Object.fromEntries(own));
      try {
        await untilCounts("a registry's secret", async () => (await tell("acr", {}, "s3cret")) === 200);
        for (const type of types.slice(3, 7)) {
          assert.equal(await tell(type, {}, "wrong"), 401, type);
          for (const body of messages) assert.ok([200, 400].includes(await tell(type, body, "s3cret")), type);
        }
      } finally {
        await setSecrets(world, Object.fromEntries(own.map(([key]) => [key, null])));
      }
      assert.equal((await sendRaw(world.at, { path: "/healthz" })).status, 200);
      await world.assertUnharmed([]);
    }),
  },
];

/** What hosts and commits are known by: certificates, host keys, keys of signatures. */
import assert from "node:assert/strict";
import type { Attack } from "../attack.ts";
import { asks } from "../request.ts";

const certificates = () => "/api/v1/certificates";

export const attacks: readonly Attack[] = [
  {
    id: "trust/authority-of-a-tenant",
    threat: "A tenant makes his own authority count for the host of everybody's repositories",
    heldBy: "certificates belong to no project: the right on all of them is needed",
    play: asks({
      who: "alice",
      method: "POST",
      path: () => "/api/v1/certificates?upsert=true",
      body: () => ({ items: [{ serverName: "127.0.0.1", certType: "https", certData: "eA==" }] }),
      status: [403],
    }),
  },
  {
    id: "trust/hosts-forgotten-by-a-tenant",
    threat: "A tenant deletes what hosts are known by, so that nobody's repositories are reached",
    heldBy: "certificates belong to no project: the right on all of them is needed",
    play: asks({ who: "alice", method: "DELETE", path: certificates, status: [403] }),
  },
  {
    id: "trust/hosts-seen-by-a-tenant",
    threat: "A tenant learns from the known hosts which servers others fetch from",
    heldBy: "certificates belong to no project: the right on all of them is needed",
    play: asks({ who: "alice", method: "GET", path: certificates, status: [403] }),
  },
  {
    id: "trust/signing-key-of-a-tenant",
    threat: "A tenant adds his own key to those by which everybody's commits are verified",
    heldBy: "keys belong to no project: the right on all of them is needed",
    play: asks({
      who: "alice",
      method: "POST",
      path: () => "/api/v1/gpgkeys",
      body: () => ({ keyData: "-----BEGIN PGP PUBLIC KEY BLOCK-----" }),
      status: [403],
    }),
  },
  {
    id: "trust/writing-by-who-may-read",
    threat: "Who may change what a repository is read with gives himself credentials to write to it",
    heldBy:
      "credentials to write with are apart: other Secrets, other calls, and the right write-repositories",
    play: asks({
      who: "alice",
      method: "POST",
      path: () => "/api/v1/write-repositories",
      body: ({ gitUrl }) => ({ repo: `${gitUrl}/team-app.git`, project: "team", password: "x" }),
      status: [403],
    }),
  },
  {
    id: "trust/names-by-badges",
    threat: "A stranger learns by asking for badges which applications there are",
    heldBy: "until the operator enables badges every question gets the same picture",
    play: async (world) => {
      const asked = ["name=beside", "name=absent", "project=team", "project=absent&revision=true"];
      const answers = await Promise.all(asked.map((query) => world.ask("nobody", `GET /api/badge?${query}`)));
      assert.equal(new Set(answers.map(({ body, status }) => `${status} ${String(body)}`)).size, 1);
      await world.assertUnharmed(answers.map(({ body }) => String(body)));
    },
  },
  {
    id: "trust/huge-known-hosts",
    threat: "Somebody who may add host keys sends so many that the settings can no longer be kept",
    heldBy:
      "a ConfigMap's limit, said before anything is written; each render gets the lines of its own host alone",
    play: asks({
      who: "admin",
      method: "POST",
      path: certificates,
      body: () => ({ items: manyKeys() }),
      status: [400, 412, 413],
      says: /known-hosts|too large|limit/i,
    }),
  },
];

/** A million bytes and more of keys that are none; each is of the right form. */
function manyKeys(): object[] {
  const type = "ssh-ed25519";
  const key = Buffer.alloc(99);
  key.writeUInt32BE(type.length);
  key.write(type, 4);
  const certData = Buffer.from(key.toString("base64")).toString("base64");
  return Array.from({ length: 10_000 }, (_, at) => ({
    serverName: `host-${at}.example.com`,
    ...{ certType: "ssh", certSubType: type, certData },
  }));
}

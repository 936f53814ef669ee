/** What callers ask lists by: pages, orders, searches, and what they say that they have already. */
import assert from "node:assert/strict";
import { isRecord } from "@capstan/formats";
import type { Attack, AttackWorld } from "../attack.ts";
import { asks } from "../request.ts";

const list = "/api/v1/applications";
const token = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Names of rival's applications and projects: alice may not learn that they are there. */
const rivals = /rival/;

async function read(world: AttackWorld, query: string, headers: Readonly<Record<string, string>> = {}) {
  const answer = await world.ask("alice", `GET ${list}?${query}`, { headers });
  return { ...answer, text: JSON.stringify(answer.body) };
}

interface Refused {
  name: string;
  threat: string;
  query: string;
  says: RegExp;
}

const refused: readonly Refused[] = [
  {
    name: "forged-token",
    threat: "A continue token is made by hand, with what no token holds",
    query: `limit=1&continue=${token(["x", "1", { toString: 1 }, ["a"]])}`,
    says: /continue: is not what/,
  },
  {
    name: "long-token",
    threat: "A continue token is as long as an address may be",
    query: `continue=${"A".repeat(12_000)}`,
    says: /continue: is not what/,
  },
  {
    name: "deep-token",
    threat: "A continue token is nested a thousand levels deep",
    query: `continue=${Buffer.from("[".repeat(1_500) + "]".repeat(1_500)).toString("base64url")}`,
    says: /continue: is not what/,
  },
  {
    name: "sort-by-prototype",
    threat: "A list is sorted by a name that every object of JavaScript has",
    query: "sort=__proto__",
    says: /sort: a list is sorted by name/,
  },
  {
    name: "endless-search",
    threat: "A search is ten thousand characters long",
    query: `search=${"(a%2B)%2B".repeat(1_200)}`,
    says: /search: is longer than/,
  },
  {
    name: "limit-beyond-numbers",
    threat: "The limit of a list is no number that there is",
    query: `limit=${"9".repeat(400)}`,
    says: /limit: \\"9+\\" is not a whole number/,
  },
  {
    name: "negative-limit",
    threat: "The limit of a list is below nothing",
    query: "limit=-1",
    says: /limit: -1 is not a number of entries/,
  },
];

const heldBy = "what a list is asked by has its bounds and its known names, and is compared as plain text";

export const attacks: readonly Attack[] = [
  ...refused.map(({ name, threat, query, says }) => ({
    id: `lists/${name}`,
    threat,
    heldBy,
    play: asks({ who: "alice", method: "GET", path: () => `${list}?${query}`, status: [400], says }),
  })),
  {
    id: "lists/others-page",
    threat:
      "A tenant goes on with another's continue token, or one that he made for where another's applications stand",
    heldBy:
      "a token is a place and no right: rights come before pages, and the count of what is left is of these alone",
    play: async (world) => {
      const first = await world.ask("admin", `GET ${list}?limit=1&sort=project`);
      assert.ok(isRecord(first.body) && isRecord(first.body.metadata));
      const texts: string[] = [];
      const others = String(first.body.metadata.continue ?? token(["", "", "rival", "argocd/a"]));
      const [digest] = JSON.parse(Buffer.from(others, "base64url").toString("utf8"));
      for (const key of ["", "rival", "team"]) {
        for (const sort of ["project", "-project"]) {
          const made = token([digest, "1", key, "argocd/a"]);
          texts.push((await read(world, `limit=1&sort=${sort}&continue=${made}`)).text);
        }
      }
      texts.push((await read(world, `sort=project&limit=1&continue=${others}`)).text);
      texts.push((await read(world, "search=rival&limit=1000000000&sort=-state")).text);
      for (const text of texts) assert.doesNotMatch(text.replace(/other filters.*/, ""), rivals);
      await world.assertUnharmed(texts);
    },
  },
  {
    id: "lists/others-objects",
    threat:
      "A tenant looks through the objects of all applications for another's, by name, image and project",
    heldBy: "only applications that the caller may see are looked into, each by the rules of its project",
    play: async (world) => {
      const texts: string[] = [];
      for (const query of [
        "",
        "project=rival",
        "search=rival",
        "orphaned=true",
        "image=rival",
        "health=Healthy",
      ]) {
        const answer = await world.ask("alice", `GET /api/v1/resources?${query}`);
        assert.equal(answer.status, 200);
        texts.push(JSON.stringify(answer.body));
      }
      for (const text of texts) assert.doesNotMatch(text, rivals);
      await world.assertUnharmed(texts);
    },
  },
  {
    id: "lists/others-tag",
    threat:
      "A tenant asks with another's ETag, to learn whether the other's list is as his own or has changed",
    heldBy: "the ETag of a list is made from who asks and what he asks, beside the state of all",
    play: async (world) => {
      const admins = await world.ask("admin", `GET ${list}`);
      const tag = admins.headers.get("etag") ?? "";
      assert.match(tag, /^W\/"[\w-]{22}"$/);
      const own = await read(world, "", { "if-none-match": tag });
      assert.equal(own.status, 200);
      assert.notEqual(own.headers.get("etag"), tag);
      const again = await world.ask("admin", `GET ${list}`, { headers: { "if-none-match": `"x", ${tag}` } });
      // Controllers may write meanwhile: then it is another list.
      assert.ok(again.status === 304 || again.headers.get("etag") !== tag);
      await world.assertUnharmed([own.text]);
    },
  },
];

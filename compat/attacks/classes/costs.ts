/**
 * Small things that cost much where they are compared, stored or read, which is in the process that answers everybody:
 * objects with many parts, bodies, patches, expressions. bench/bombs.ts measures the API beside them.
 */
import assert from "node:assert/strict";
import { type HostedRepository, untilApplication } from "@capstan/testkit";
import type { Attack } from "../attack.ts";
import { beside } from "../beside.ts";
import { nested } from "../bomb-files.ts";
import { deploys } from "../deploy.ts";
import { asks, type RefusedRequest } from "../request.ts";
import { configMapOf, deploymentOf, wide } from "../wide-objects.ts";

const held = {
  wide: "each object's values are counted; what is compared is found by its key, not by looking through a list",
  body: "depth and values of JSON are counted in its text, before anything is made of it",
  copies: "what all copies of a JSON patch make is counted while they are made",
  expression: "an expression's steps and what it reads are counted; the one evaluation fails",
} as const;

const longNumber = "12345678901234567890";
const million = `[${longNumber},${"1,".repeat(1_000_000)}1]`;

interface Body {
  name: string;
  threat: string;
  held: keyof typeof held;
  request: RefusedRequest;
}

const applications = { method: "POST", path: () => "/api/v1/applications", status: [400] };
const webhook = {
  who: "nobody",
  method: "POST",
  path: () => "/api/webhook",
  headers: { "x-github-event": "push", "content-type": "application/json" },
  status: [400, 401],
} as const;
const bodies: readonly Body[] = [
  {
    name: "deep-body",
    threat: "The body of a request is nested a hundred thousand levels deep",
    held: "body",
    request: {
      ...applications,
      who: "alice",
      body: () => `{"spec":${nested(100_000)}}`,
      says: /1000 levels/,
    },
  },
  {
    name: "many-values",
    threat: "The body of a request has a million values, one of them too long for a double",
    held: "body",
    request: {
      ...applications,
      who: "alice",
      body: () => `{"spec":${million}}`,
      says: /more than 250000 values/,
    },
  },
  {
    name: "deep-webhook",
    threat: "A webhook of five megabytes is nothing but brackets",
    held: "body",
    request: { ...webhook, body: () => nested(2_500_000) },
  },
  {
    name: "wide-webhook",
    threat: "A webhook of five megabytes is nothing but empty objects",
    held: "body",
    request: { ...webhook, body: () => `[${"{},".repeat(1_600_000)}1]` },
  },
];

const doubling = Array.from({ length: 60 }, (_, index) => ({
  op: "copy",
  from: "/metadata/annotations",
  path: `/metadata/annotations/c${index}`,
}));

/** A patch of an application of hers, and of an object of it. */
const patches: Attack = {
  id: "costs/patch-that-doubles",
  threat: "A JSON patch of sixty operations copies what it copied before",
  heldBy: held.copies,
  play: async (world) => {
    const name = "patch-that-doubles";
    const annotations = { one: "x" };
    await deploys(name, {
      files: () => ({
        "app/a.json": JSON.stringify({
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: "fine", annotations },
        }),
      }),
      application: () => ({ metadata: { annotations } }),
      ends: { harmless: true },
    })(world);
    const patch = JSON.stringify(doubling);
    const body = { name, patch, patchType: "json" };
    const ofApplication = await world.ask("alice", `PATCH /api/v1/applications/${name}`, { body });
    const of = `version=v1&kind=ConfigMap&resourceName=fine&namespace=team-${name}&patchType=application/json-patch%2Bjson`;
    const ofObject = await world.ask("alice", `POST /api/v1/applications/${name}/resource?${of}`, {
      body: JSON.stringify(patch),
    });
    for (const { status, body: said } of [ofApplication, ofObject]) {
      assert.ok(status >= 400 && status < 500, `${status}: ${JSON.stringify(said)}`);
      assert.match(JSON.stringify(said), /patch is too large/);
    }
    await world.assertUnharmed([ofApplication, ofObject].map((one) => JSON.stringify(one.body)));
  },
};

/** A kind whose rules, patterns and columns go over whatever a tenant writes into its objects. */
const heavyKind = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "heavies.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "heavies", singular: "heavy", kind: "Heavy" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        additionalPrinterColumns: [
          { name: "Deep", type: "string", jsonPath: `.spec${"..a".repeat(30)}` },
          { name: "Filter", type: "string", jsonPath: `.spec.items[?(@${" ".repeat(500)}x)]` },
        ],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                "x-kubernetes-preserve-unknown-fields": true,
                "x-kubernetes-validations": [
                  { rule: "self.items.all(x, self.items.all(y, x != y + 'z'))" },
                  { rule: "self.items.all(x, !self.text.contains(x + 'b'))" },
                ],
                properties: {
                  items: { type: "array", maxItems: 20_000, items: { type: "string", maxLength: 10 } },
                  text: { type: "string", pattern: "^((a+)+)+(a|aa)*$", maxLength: 1_000_000 },
                },
              },
            },
          },
        },
      },
    ],
  },
};

const heavy: Attack = {
  id: "costs/rules-of-a-kind",
  slow: true,
  threat:
    "A custom resource makes its kind's CEL rules, pattern and JSONPath columns go over millions of parts",
  heldBy: held.expression,
  play: async (world) => {
    const { kube } = world.capstan;
    const signal = AbortSignal.timeout(100_000);
    await kube.apply(heavyKind, { fieldManager: "operator", force: true, signal });
    await beside("rules-of-a-kind", {
      files: () => ({
        "app/a.json": JSON.stringify({
          apiVersion: "example.com/v1",
          kind: "Heavy",
          metadata: { name: "fine" },
          spec: {
            items: Array.from({ length: 20_000 }, (_, index) => `k${index}`),
            text: "a".repeat(500_000),
          },
        }),
      }),
      ends: { refused: /cost limit exceeded/ },
    })(world);
  },
};

/**
 * Applied by the server first, so that what was applied last is read from the list of who owns what.
 * As many as kubectl's annotation of what was applied last has room for (256 KiB).
 */
const appliedClientSide: Attack = {
  id: "costs/wide-lists-applied-client-side",
  threat:
    "Objects with long lists are applied with ServerSideApply=false, which compares three versions of each",
  heldBy: held.wide,
  slow: true,
  play: async (world) => {
    const name = "wide-lists-client-side";
    const objects = { finalizers: configMapOf(9_000), variables: deploymentOf(8_000) };
    const files = (annotations: object) =>
      Object.fromEntries(
        Object.entries(objects).map(([list, { metadata, ...rest }]) => [
          `app/${list}.json`,
          JSON.stringify({ ...rest, metadata: { ...metadata, annotations } }),
        ]),
      );
    let repository: HostedRepository | undefined;
    await deploys(name, {
      files: () => files({}),
      prepare: async (made) => {
        repository = made;
      },
      ends: { harmless: true },
    })(world);
    const clientSide = { "argocd.argoproj.io/sync-options": "ServerSideApply=false" };
    const revision = await repository?.commit(files(clientSide));
    await world.ask("alice", `GET /api/v1/applications/${name}?refresh=normal`);
    const isSo = (view: { revision: string; sync: string }) =>
      view.revision === revision && view.sync === "Synced";
    await untilApplication(world.capstan.kube, name, { isSo, limitMs: 120_000 });
    await world.assertUnharmed([]);
  },
};

export const attacks: readonly Attack[] = [
  ...wide.map(({ name, threat, manifest }) => ({
    id: `costs/${name}`,
    threat,
    heldBy: held.wide,
    slow: true as const,
    play: beside(name, { files: () => ({ "app/a.json": JSON.stringify(manifest) }), ends: { either: true } }),
  })),
  ...bodies.map(({ name, threat, held: by, request }) => ({
    id: `costs/${name}`,
    threat,
    heldBy: held[by],
    play: asks(request),
  })),
  appliedClientSide,
  patches,
  heavy,
];

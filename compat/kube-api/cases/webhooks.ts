import { apply, type Case, get, type JsonObject, patch, post, put, remove, type Step } from "../script.ts";
import { misfitNames } from "../webhook-server.ts";
import { define, objects, thing } from "./definitions.ts";

const configurations = "/apis/admissionregistration.k8s.io/v1";
const maps = "/api/v1/namespaces/<ns>/configmaps";

const map = (name: string, data: JsonObject = { a: "1" }, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...metadata },
  data,
});

const everyChange: JsonObject = {
  operations: ["CREATE", "UPDATE", "DELETE"],
  apiGroups: [""],
  apiVersions: ["v1"],
  resources: ["configmaps"],
};

interface Hook extends JsonObject {
  /** What the server does. */
  at: string;
}

/** A configuration of one webhook, for the namespace of the case, and what waits until it is in force. */
function hook(kind: "mutating" | "validating", { at, ...more }: Hook, suffix = ""): Step[] {
  const resource = `${configurations}/${kind}webhookconfigurations`;
  const webhook = {
    name: `${at}.example.com`,
    clientConfig: { url: `<hook>/${at}`, caBundle: "<ca>" },
    rules: [everyChange],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "<ns>" } },
    ...more,
  };
  const name = `<id>${suffix}`;
  return [{ ...post(resource, { metadata: { name }, webhooks: [webhook] }), unseen: true }];
}

const ready = (at: string): Step => ({
  ...post(`${maps}?dryRun=All`, map("sentinel", {}, { labels: { call: "me" } })),
  untilText: `${at} is ready`,
});

/** In force at once, as nothing refuses a sentinel: how long an informer takes, at most. */
const settled: Step = { ...get(`${maps}/none`), pauseMs: 2_000 };

const both = (kind: "mutating" | "validating", one: Hook, steps: readonly Step[]): readonly Step[] => [
  ...hook(kind, one),
  ready(one.at),
  ...steps,
];

const create = post(maps, map("one"));

const trials: Readonly<Record<string, readonly Step[]>> = {
  "a patch is made": both("mutating", { at: "patch" }, [create, get(`${maps}/one`)]),
  "a patch counts as the writer's": both("mutating", { at: "label" }, [
    apply(`${maps}/one`, map("one")),
    get(`${maps}/one`),
  ]),
  "a refusal": both("validating", { at: "deny" }, [create, get(`${maps}/one`)]),
  "a refusal with a reason": both("validating", { at: "reason" }, [create]),
  "a refusal without a word": both("validating", { at: "bare" }, [create]),
  "a refusal by a mutating one": both("mutating", { at: "deny" }, [create]),
  warnings: both("validating", { at: "warn" }, [create]),
  "update, patch and deletion": both("validating", { at: "allow" }, [
    create,
    put(`${maps}/one`, map("one", { a: "2" })),
    patch("merge", `${maps}/one`, { data: { a: "3" } }),
    remove(`${maps}/one`),
  ]),
  "a deletion is refused": both(
    "validating",
    {
      at: "deny",
      rules: [{ ...everyChange, operations: ["CREATE", "DELETE"] }],
      objectSelector: { matchLabels: { call: "me" } },
    },
    [create, patch("merge", `${maps}/one`, { metadata: { labels: { call: "me" } } }), remove(`${maps}/one`)],
  ),
  "a dry run": both("mutating", { at: "patch" }, [
    post(`${maps}?dryRun=All`, map("one")),
    get(`${maps}/one`),
  ]),
  "a name that is generated": both("validating", { at: "allow" }, [
    post(maps, { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "A_" } }),
    post(maps, { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "<id>-" } }),
  ]),
  "another uid": both("validating", { at: "otheruid" }, [create]),
  "no response": both("validating", { at: "nothing" }, [create]),
  "no JSON": both("validating", { at: "nojson" }, [create]),
  "status 500": both("validating", { at: "broken" }, [create]),
  "status 404": both("mutating", { at: "missing" }, [create]),
  "a failure that is ignored": both("validating", { at: "broken", failurePolicy: "Ignore" }, [create]),
  ...Object.fromEntries(
    misfitNames.map((at) => [`a patch that does not fit: ${at}`, both("mutating", { at }, [create])]),
  ),
  "too late": both("validating", { at: "slow", timeoutSeconds: 1 }, [create]),
  "conditions that hold": both(
    "validating",
    {
      at: "deny",
      matchConditions: [
        { name: "big", expression: "object.metadata.name.startsWith('sent') || object.data.a == '1'" },
      ],
    },
    [create, post(maps, map("two", { a: "2" }))],
  ),
  "a condition that fails": both(
    "validating",
    {
      at: "allow",
      matchConditions: [
        { name: "none", expression: "object.metadata.name == 'sentinel' || object.data.none == '1'" },
      ],
    },
    [create],
  ),
  "objects that are selected": both(
    "validating",
    { at: "deny", objectSelector: { matchLabels: { call: "me" } } },
    [create, post(maps, map("two", {}, { labels: { call: "me" } }))],
  ),
  "the version of before": both("validating", { at: "allow", admissionReviewVersions: ["v1beta1"] }, [
    create,
  ]),
  "an unknown version first": both("validating", { at: "allow", admissionReviewVersions: ["v7", "v1"] }, [
    create,
  ]),
  "only what has no namespace": [
    ...hook("validating", { at: "deny", rules: [{ ...everyChange, scope: "Cluster" }] }),
    settled,
    create,
  ],
  "all resources": both(
    "validating",
    { at: "allow", rules: [{ ...everyChange, apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] }] },
    [create],
  ),
  "called again when others changed it": [
    ...hook("mutating", { at: "count", reinvocationPolicy: "IfNeeded" }, "-a"),
    ready("count"),
    ...hook("mutating", { at: "label" }, "-b"),
    settled,
    create,
  ],
  "not called again where it did not ask": [
    ...hook("mutating", { at: "count" }, "-a"),
    ready("count"),
    ...hook("mutating", { at: "label" }, "-b"),
    settled,
    create,
  ],
  "nothing listens": [
    ...hook("validating", { at: "deny", clientConfig: { url: "https://127.0.0.1:1/x", caBundle: "<ca>" } }),
    { ...post(`${maps}?dryRun=All`, map("two")), until: 500 },
  ],
  "a Service that is not there": [
    ...hook("validating", {
      at: "deny",
      clientConfig: { service: { namespace: "<ns>", name: "none" }, caBundle: "<ca>" },
    }),
    { ...post(`${maps}?dryRun=All`, map("two")), until: 500 },
  ],
  "a custom resource": [
    ...define({ spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } }),
    ...both(
      "mutating",
      {
        at: "label",
        rules: [everyChange, { ...everyChange, apiGroups: ["<id>.example.com"], resources: ["things"] }],
      },
      [post(objects, thing("one", { a: 1 })), get(`${objects}/one`)],
    ),
  ],
};

export const webhookCases: readonly Case[] = Object.entries(trials).map(([title, steps]) => ({
  name: `webhooks/${title}`,
  steps,
  calls: true,
}));

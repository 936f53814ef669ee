import {
  apply,
  type Case,
  get,
  type Json,
  type JsonObject,
  patch,
  post,
  put,
  remove,
  type Step,
  watch,
} from "../script.ts";
import { definitions, objects, thing } from "./definitions.ts";

const v2 = objects.replace("/v1/", "/v2/");
const table = { headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } };

const inV2 = (name: string, spec: Json, more: JsonObject = {}): JsonObject => ({
  ...thing(name, spec, more),
  apiVersion: "<id>.example.com/v2",
});

const color = { type: "string" };
const paint = { type: "object", properties: { color } };
const specs: Readonly<Record<string, JsonObject>> = {
  v1: { color, n: { type: "integer" }, size: { type: "string", default: "small" } },
  v2: {
    paint,
    n: { type: "integer" },
    size: { type: "string", default: "large" },
    gloss: { type: "string", default: "matt" },
  },
};

interface Converting {
  /** What the server does. */
  at: string;
  stored?: string;
  /** In place of the server's address. */
  client?: JsonObject;
  reviews?: readonly string[];
  /** Which versions are served. */
  served?: readonly string[];
}

const converting = (asked: Converting): JsonObject => {
  const { at, stored = "v1", client, reviews = ["v1"], served = ["v1", "v2"] } = asked;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.<id>.example.com" },
    spec: {
      group: "<id>.example.com",
      scope: "Namespaced",
      names: { plural: "things", kind: "Thing" },
      conversion: {
        strategy: "Webhook",
        webhook: {
          conversionReviewVersions: reviews,
          clientConfig: client ?? { url: `<hook>/${at}`, caBundle: "<ca>" },
        },
      },
      versions: Object.entries(specs).map(([name, properties]) => ({
        name,
        served: served.includes(name),
        storage: name === stored,
        subresources: { status: {}, scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" } },
        additionalPrinterColumns: [
          { name: "Color", type: "string", jsonPath: name === "v1" ? ".spec.color" : ".spec.paint.color" },
        ],
        ...(name === "v2" && { selectableFields: [{ jsonPath: ".spec.paint.color" }] }),
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", properties },
              status: { type: "object", properties: { n: { type: "integer" }, word: { type: "string" } } },
            },
          },
        },
      })),
    },
  };
};

const define = (asked: Converting): readonly Step[] => [
  { ...post(definitions, converting(asked)), unseen: true },
  ...(asked.served ?? ["v1", "v2"]).map((version) => ({
    ...get(`${version === "v1" ? objects : v2}?limit=1&labelSelector=none`),
    until: 200,
    unseen: true,
  })),
];

/** Another definition in place of the one of before, and a moment until the real server serves it. */
const redefine = (asked: Converting): readonly Step[] => [
  {
    ...get(`${definitions}/things.<id>.example.com`),
    capture: { rv: "metadata.resourceVersion" },
    unseen: true,
  },
  {
    ...patch("merge", `${definitions}/things.<id>.example.com`, { spec: converting(asked).spec ?? null }),
    unseen: true,
  },
  { ...get(`${objects}?limit=1&labelSelector=none`), pauseMs: 2_000, unseen: true },
];

const red = post(objects, thing("a", { color: "red" }));
const blue = post(v2, inV2("b", { paint: { color: "blue" } }));

/** Played with a webhook that converts. */
const working: Readonly<Record<string, readonly Step[]>> = {
  "read in the other": [red, get(`${v2}/a`), get(v2), get(v2, table)],
  "written in the other": [blue, get(`${objects}/b`), get(`${v2}/b`), get(objects)],
  "changed in the other": [
    red,
    patch("merge", `${v2}/a`, { spec: { paint: { color: "green" } } }),
    get(`${objects}/a`),
    patch("json", `${v2}/a`, [{ op: "replace", path: "/spec/paint/color", value: "grey" }]),
    put(`${v2}/a`, inV2("a", { paint: { color: "pink" }, n: 2 })),
    get(`${objects}/a`),
  ],
  "applied in the other": [
    apply(`${v2}/a`, inV2("a", { paint: { color: "red" } })),
    get(`${objects}/a`),
    apply(`${v2}/a`, inV2("a", { paint: { color: "blue" } })),
    get(`${v2}/a`),
  ],
  "a conflict with an owner in the other": [
    apply(`${objects}/a`, thing("a", { color: "red", n: 1 })),
    apply(`${v2}/a`, inV2("a", { paint: { color: "blue" } }), { manager: "two" }),
    apply(`${v2}/a`, inV2("a", { paint: { color: "blue" } }), { manager: "two", force: true }),
    get(`${objects}/a`),
  ],
  "the status in the other": [
    red,
    patch("merge", `${v2}/a/status`, { status: { word: "well" } }),
    get(`${objects}/a`),
    get(`${v2}/a/status`),
  ],
  "the scale in the other": [
    post(objects, thing("a", { color: "red", n: 1 })),
    get(`${v2}/a/scale`),
    patch("merge", `${v2}/a/scale`, { spec: { replicas: 4 } }),
    get(`${objects}/a`),
  ],
  "deleted in the other": [red, remove(`${v2}/a`), get(`${objects}/a`)],
  "kept by a finalizer": [
    post(v2, { ...inV2("a", { paint: { color: "red" } }), metadata: { name: "a", finalizers: ["a.b/c"] } }),
    remove(`${v2}/a`),
    patch("merge", `${v2}/a`, { metadata: { finalizers: null } }),
    get(`${objects}/a`),
  ],
  "all deleted in the other": [red, blue, remove(v2), get(objects)],
  "a dry run in the other": [post(`${v2}?dryRun=All`, inV2("a", { paint: { color: "red" } })), get(objects)],
  "not valid in the other": [
    post(v2, inV2("a", { gloss: 5 })),
    patch("merge", `${v2}/a`, { spec: { n: 1 } }),
  ],
  watch: [red, watch(v2, 1), blue, watch(objects, 2)],
  "a watch by a field": [red, blue, watch(`${v2}?fieldSelector=spec.paint.color%3Dred`, 1)],
  "selected by a field": [red, blue, get(`${v2}?fieldSelector=spec.paint.color%3Dred`)],
  "pages of the other": [red, blue, get(`${v2}?limit=1`)],
  "metadata alone": [
    red,
    get(`${v2}/a`, { headers: { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" } }),
  ],
  "another version in the body": [post(v2, thing("a", { color: "x" }))],
};

/** Read in v2 after it was written in v1, and written in v2. */
const failing: Readonly<Record<string, Omit<Converting, "at">>> = {
  failure: {},
  failurebare: {},
  noresult: {},
  noresponse: {},
  otherreview: {},
  otherversion: {},
  nothing: {},
  nojson: {},
  broken: {},
  missing: {},
  toofew: {},
  renamed: {},
  moved: {},
  otheruid: {},
  nometadata: {},
  otherkind: {},
  nokind: {},
  notconverted: {},
  badlabels: {},
  listlabels: {},
};

const others: Readonly<Record<string, readonly Step[]>> = {
  "more than the schema has": [...define({ at: "extra" }), red, get(`${v2}/a`), blue, get(`${objects}/b`)],
  "what does not fit the schema": [...define({ at: "unfit" }), red, get(`${v2}/a`)],
  "labels that are converted": [
    ...define({ at: "labels" }),
    post(objects, thing("a", { color: "red" }, { metadata: { name: "a", labels: { own: "label" } } })),
    get(`${v2}/a`),
    get(`${objects}/a`),
    get(`${v2}?labelSelector=converted%3Dyes`),
  ],
  "metadata that is not the webhook's": [...define({ at: "finalizers" }), red, get(`${v2}/a`)],
  "a slow one": [...define({ at: "slow" }), red, get(`${v2}/a`)],
  "reviews of the version before": [...define({ at: "convert", reviews: ["v1beta1"] }), red, get(`${v2}/a`)],
  "an unknown version of reviews first": [
    ...define({ at: "convert", reviews: ["v7", "v1"] }),
    red,
    get(`${v2}/a`),
  ],
  "nothing listens": [
    ...define({ at: "convert", client: { url: "https://127.0.0.1:1/x", caBundle: "<ca>" } }),
    red,
    get(`${v2}/a`),
    post(v2, inV2("b", { paint: { color: "blue" } })),
    remove(`${v2}/a`),
    get(`${objects}/a`),
  ],
  "a Service that is not there": [
    ...define({ at: "convert", client: { service: { namespace: "<ns>", name: "none" }, caBundle: "<ca>" } }),
    red,
    get(`${v2}/a`),
  ],
  "another version becomes the stored one": [
    ...define({ at: "convert" }),
    red,
    ...redefine({ at: "convert", stored: "v2" }),
    get(`${objects}/a`),
    get(`${v2}/a`),
    patch("merge", `${objects}/a`, { metadata: { labels: { x: "y" } } }),
    get(`${v2}/a`),
    get(`${definitions}/things.<id>.example.com`),
  ],
  "a webhook that is mended": [
    ...define({ at: "failure" }),
    red,
    get(`${v2}/a`),
    ...redefine({ at: "convert" }),
    { ...get(`${v2}/a`), until: 200 },
  ],
  "the stored version is not served": [
    ...define({ at: "convert", served: ["v2"] }),
    blue,
    get(`${v2}/b`),
    patch("merge", `${v2}/b`, { spec: { n: 3 } }),
  ],
  "a webhook is needed": [
    post(definitions, {
      ...converting({ at: "convert" }),
      spec: { ...(converting({ at: "convert" }).spec as JsonObject), conversion: { strategy: "Webhook" } },
    }),
  ],
};

const cases: Readonly<Record<string, readonly Step[]>> = {
  ...Object.fromEntries(
    Object.entries(working).map(([title, steps]) => [title, [...define({ at: "convert" }), ...steps]]),
  ),
  ...Object.fromEntries(
    Object.entries(failing).map(([at, more]) => [
      `a webhook that errs: ${at}`,
      [...define({ at, ...more }), red, get(`${v2}/a`), blue, get(`${objects}/a`)],
    ]),
  ),
  ...others,
};

export const conversionCases: readonly Case[] = Object.entries(cases).map(([title, steps]) => ({
  name: `conversions/${title}`,
  steps,
  calls: true,
}));

import {
  type Case,
  get,
  type Json,
  type JsonObject,
  patch,
  post,
  remove,
  type Step,
  watch,
} from "../script.ts";
import { define, definition, definitions, objects, thing } from "./definitions.ts";

const spec: JsonObject = {
  type: "object",
  properties: {
    color: { type: "string" },
    n: { type: "integer" },
    b: { type: "boolean" },
    o: { type: "object", properties: { x: { type: "string" } } },
    l: { type: "array", items: { type: "string" } },
    d: { type: "string", format: "date-time" },
    f: { type: "number" },
    replicas: { type: "integer" },
  },
};
const status: JsonObject = {
  type: "object",
  properties: { replicas: { type: "integer" }, selector: { type: "string" } },
};

const selecting = (...paths: readonly string[]): JsonObject => ({
  selectableFields: paths.map((jsonPath) => ({ jsonPath })),
});
const badPaths: Readonly<Record<string, readonly string[]>> = {
  "no dot": ["spec.color"],
  nothing: [""],
  "unknown field": [".spec.nope"],
  "an object": [".spec.o"],
  "a list": [".spec.l"],
  "a number": [".spec.f"],
  "an item": [".spec.l[0]"],
  "the name": [".metadata.name"],
  twice: [".spec.color", ".spec.color"],
};
const selected = (fields: string): Step => get(`${objects}?fieldSelector=${encodeURIComponent(fields)}`);
const three: readonly Step[] = [
  post(objects, thing("x", { color: "blue", n: 1, b: true })),
  post(objects, thing("y", { color: "red", n: 0, b: false })),
  post(objects, thing("z", {})),
];

const selectableCases: readonly Case[] = [
  ...Object.entries(badPaths).map(
    ([title, paths]): Case => ({
      name: `custom/selectable fields/${title}`,
      steps: [post(definitions, definition({ spec, version: selecting(...paths) }))],
    }),
  ),
  ...[
    "spec.color=blue",
    "spec.color==blue",
    "spec.color!=blue",
    "spec.color=",
    "spec.n=1",
    "spec.n=0",
    "spec.b=true",
    "spec.b=false",
    "spec.color=blue,spec.n=1",
    "spec.color=red,metadata.name=y",
    "spec.o=1",
    "metadata.namespace=<ns>",
  ].map(
    (fields): Case => ({
      name: `custom/selectable fields/${fields}`,
      steps: [
        ...define({ spec, version: selecting(".spec.color", ".spec.n", ".spec.b") }),
        ...three,
        selected(fields.replace("<ns>", "other")),
      ],
    }),
  ),
  {
    name: "custom/selectable fields/deletion and watch",
    steps: [
      ...define({ spec, version: selecting(".spec.color") }),
      ...three,
      watch(`${objects}?fieldSelector=spec.color%3Dblue`, 1),
      remove(`${objects}?fieldSelector=spec.color%3Dblue`),
      get(objects),
    ],
  },
];

const scaled: JsonObject = {
  subresources: {
    status: {},
    scale: {
      specReplicasPath: ".spec.replicas",
      statusReplicasPath: ".status.replicas",
      labelSelectorPath: ".status.selector",
    },
  },
};
const scale = `${objects}/a/scale`;
const withScale = define({ spec, status, version: scaled });
const scaleSteps: Readonly<Record<string, readonly Step[]>> = {
  read: [post(objects, thing("a", { replicas: 2 })), get(scale)],
  "without a number": [post(objects, thing("a", {})), get(scale)],
  selector: [
    post(objects, thing("a", { replicas: 2 })),
    patch("merge", `${objects}/a/status`, { status: { replicas: 1, selector: "a=b,c in (d)" } }),
    get(scale),
  ],
  negative: [post(objects, thing("a", { replicas: 2 })), patch("merge", scale, { spec: { replicas: -1 } })],
  write: [
    post(objects, thing("a", { replicas: 2 })),
    patch("merge", scale, { spec: { replicas: 3 } }),
    get(`${objects}/a`),
  ],
  "bad paths": [
    post(
      definitions,
      definition({
        spec,
        version: {
          subresources: {
            scale: { specReplicasPath: "x", statusReplicasPath: ".spec.y", labelSelectorPath: "z" },
          },
        },
      }),
    ),
  ],
};

const columns = (...list: readonly JsonObject[]): JsonObject => ({ additionalPrinterColumns: list });
const table = { headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } };
const column = (name: string, type: string, jsonPath: string): JsonObject => ({ name, type, jsonPath });
const full: Json = {
  color: "blue",
  n: 3,
  b: true,
  o: { x: "y" },
  l: ["p", "q"],
  d: "2020-01-02T03:04:05Z",
  f: 1.5,
};

const columnSets: Readonly<Record<string, readonly JsonObject[]>> = {
  "plain values": [
    column("Color", "string", ".spec.color"),
    column("N", "integer", ".spec.n"),
    column("B", "boolean", ".spec.b"),
  ],
  "numbers and dates": [column("F", "number", ".spec.f"), column("D", "date", ".spec.d")],
  "objects and lists": [
    column("O", "string", ".spec.o"),
    column("L", "string", ".spec.l"),
    column("First", "string", ".spec.l[0]"),
    column("All", "string", ".spec.l[*]"),
  ],
  "missing values": [
    column("None", "string", ".spec.none"),
    column("NoNumber", "integer", ".spec.none"),
    column("NoDate", "date", ".spec.none"),
  ],
  "wrong types": [
    column("A", "integer", ".spec.color"),
    column("B", "string", ".spec.n"),
    column("C", "boolean", ".spec.color"),
    column("D", "date", ".spec.color"),
  ],
  "priority, format and description": [
    { ...column("Wide", "string", ".spec.color"), priority: 1, description: "its colour" },
    { ...column("N", "integer", ".spec.n"), format: "int32" },
  ],
  metadata: [
    column("Name2", "string", ".metadata.name"),
    column("Labels", "string", ".metadata.labels"),
    column("Age", "date", ".metadata.creationTimestamp"),
  ],
  "filters and quotes": [
    column("X", "string", ".spec['color']"),
    column("Q", "string", ".metadata.annotations['a\\.b/c']"),
  ],
};

const columnCases = Object.entries(columnSets).map(
  ([title, list]): Case => ({
    name: `custom/columns/${title}`,
    steps: [
      ...define({ spec, version: columns(...list) }),
      post(objects, {
        ...thing("a", full),
        metadata: { name: "a", annotations: { "a.b/c": "d" }, labels: { x: "y" } },
      }),
      get(`${objects}?includeObject=None`, table),
    ],
  }),
);

/** Two versions of the same objects, the older one stored. */
const versions: JsonObject = {
  metadata: { name: "things.<id>.example.com" },
  spec: {
    group: "<id>.example.com",
    scope: "Namespaced",
    names: { plural: "things", kind: "Thing" },
    conversion: { strategy: "None" },
    versions: ["v1", "v2"].map((name) => ({
      name,
      served: true,
      storage: name === "v1",
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: { spec: { ...spec, ...(name === "v2" && { required: ["color"] }) } },
        },
      },
    })),
  },
};
const v2 = objects.replace("/v1/", "/v2/");
const inV2 = (name: string, value: Json): JsonObject => ({
  ...thing(name, value),
  apiVersion: "<id>.example.com/v2",
});
const defineTwo: readonly Step[] = [
  post(definitions, versions, { capture: {} }),
  { ...get(`${v2}?labelSelector=none`), until: 200 },
  { ...get(`${objects}?labelSelector=none`), until: 200 },
];

const versionSteps: Readonly<Record<string, readonly Step[]>> = {
  "read in the other": [post(objects, thing("a", { color: "x" })), get(`${v2}/a`), get(v2)],
  "written in the other": [
    post(v2, inV2("a", { color: "x" })),
    get(`${objects}/a`),
    patch("merge", `${objects}/a`, { spec: { n: 1 } }),
    get(`${v2}/a`),
  ],
  "each has its own schema": [
    post(v2, inV2("a", {})),
    post(objects, thing("a", {})),
    get(`${v2}/a`),
    patch("merge", `${v2}/a`, { spec: { n: 1 } }),
  ],
  "another version in the body": [post(v2, thing("a", { color: "x" }))],
  watch: [post(objects, thing("a", { color: "x" })), watch(v2, 1)],
};

const casesOf = (
  area: string,
  first: readonly Step[],
  all: Readonly<Record<string, readonly Step[]>>,
): Case[] =>
  Object.entries(all).map(([title, steps]) => ({
    name: `custom/${area}/${title}`,
    steps: [...first, ...steps],
  }));

export const customCases: readonly Case[] = [
  ...selectableCases,
  ...casesOf("scale", withScale, scaleSteps),
  ...columnCases,
  ...casesOf("versions", defineTwo, versionSteps),
];

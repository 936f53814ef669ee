import { get, type Json, type JsonObject, post, type Step } from "../script.ts";

export const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const group = "<id>.example.com";
export const objects = `/apis/${group}/v1/namespaces/<ns>/things`;

export interface Defining {
  spec: JsonObject;
  /** Further fields of the version. */
  version?: JsonObject;
  status?: JsonObject;
}

export const definition = ({ spec, version = {}, status }: Defining): JsonObject => ({
  metadata: { name: `things.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural: "things", kind: "Thing" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: "object", properties: { spec, ...(status && { status }) } },
        },
        ...version,
      },
    ],
  },
});

/** Served on both sides. */
export const define = (defining: Defining): readonly Step[] => [
  { ...post(definitions, definition(defining)), capture: {} },
  { ...get(`${objects}?limit=1&labelSelector=none`), until: 200 },
];

export const thing = (name: string, spec: Json, more: JsonObject = {}): JsonObject => ({
  apiVersion: `${group}/v1`,
  kind: "Thing",
  metadata: { name },
  spec,
  ...more,
});

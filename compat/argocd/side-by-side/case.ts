import type { Manifest } from "@capstan/model";

type Fields = Readonly<Record<string, unknown>>;

/** A file's text, or objects that are written as a list of documents; undefined takes the file away. */
export type CaseFile = string | object | readonly object[] | undefined;
export type CaseFiles = Readonly<Record<string, CaseFile>>;

interface ObjectRef {
  apiVersion: string;
  kind: string;
  /** The case's own namespace where it is absent, none where it is empty. */
  namespace?: string;
  name: string;
}

/** What is done to both sides at once; after each, both have to come to the same. */
export type Step =
  /** Fields of `operation.sync`, and `retry` beside it. */
  | { sync: Fields & { retry?: Fields } }
  | { commit: CaseFiles }
  /** Merge patch of the Application. */
  | { app: Fields }
  | { patch: ObjectRef; body: Fields }
  | { remove: ObjectRef }
  /** Ends the operation that is under way. */
  | { terminate: true };

/** One application, or several, of a repository of its own in a namespace of its own. */
export interface Case {
  readonly name: string;
  /** What the Application reads: below `app/`, beside others. */
  readonly files: CaseFiles;
  /** Fields of the spec in place of the usual ones; `source` is merged. */
  readonly spec?: Fields;
  readonly annotations?: Readonly<Record<string, string>>;
  /** A project of the case's name with these rules. */
  readonly project?: Fields;
  /** In both clusters from the start. */
  readonly before?: readonly Manifest[];
  /** The namespace is not there. */
  readonly isNew?: boolean;
  /** A plain sync where nothing is said. */
  readonly steps?: readonly Step[];
  /** An operation that never ends by itself: what it waits for. */
  readonly waits?: boolean;
}

export const namespaceOf = ({ name }: Case): string => `c-${name}`;

const sole = (key: string, value: string) => ({ annotations: { [`argocd.argoproj.io/${key}`]: value } });

export const options = (text: string) => sole("sync-options", text);
export const wave = (number: number) => sole("sync-wave", `${number}`);
export const both = (...metadata: { annotations?: object }[]) => ({
  annotations: Object.assign({}, ...metadata.map(({ annotations }) => annotations)),
});
export const hook = (type: string, policy?: string) =>
  both(sole("hook", type), policy ? sole("hook-delete-policy", policy) : {});

export function map(name: string, metadata: object = {}, data: object = { key: "value" }) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, data };
}

const pod = (labels: object) => ({
  metadata: { labels },
  spec: { containers: [{ name: "main", image: "registry.example/main:1" }] },
});

export function deployment(name: string, metadata: object = {}, spec: object = {}) {
  const labels = { app: name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, ...metadata },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: pod(labels), ...spec },
  };
}

export function job(name: string, metadata: object = {}) {
  const { spec } = pod({});
  const template = { spec: { ...spec, restartPolicy: "Never" } };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, ...metadata },
    spec: { template, backoffLimit: 0 },
  };
}

export function service(name: string, metadata: object = {}, spec: object = {}) {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, ...metadata },
    spec: { selector: { app: name }, ports: [{ port: 80 }], ...spec },
  };
}

export function definition(plural: string, kind: string, scope = "Namespaced") {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const group = `${plural}.example`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}

export const nothing = (name: string, metadata: object = {}) => ({
  apiVersion: "nothings.example/v1",
  kind: "Nothing",
  metadata: { name, ...metadata },
  spec: { size: 1 },
});

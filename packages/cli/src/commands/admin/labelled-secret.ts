import { annotationKeys, labelKeys, type Manifest } from "@capstan/model";

interface Described {
  readonly name: string;
  readonly type: "repository" | "cluster";
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** What is empty is left out. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A Secret as a person reads it: its values in plain text. */
export function labelledSecret({ name, type, labels, annotations, fields }: Described): Manifest {
  const given = Object.entries(fields).filter(
    ([, value]) => value !== undefined && value !== null && value !== "" && value !== false,
  );
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name,
      labels: { ...labels, [labelKeys.secretType]: type },
      annotations: { ...annotations, [annotationKeys.managedBy]: "argocd.argoproj.io" },
    },
    stringData: Object.fromEntries(given.map(([field, value]) => [field, String(value)])),
  };
}

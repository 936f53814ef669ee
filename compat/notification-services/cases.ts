/** What is sent, to which service, and what that answers: cases/<type>.yaml. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import type { Recorded, Script } from "./recorder.ts";

export interface Case {
  readonly type: string;
  readonly name: string;
  /** The entry's name; default the type. */
  readonly service: string;
  /** YAML; `{address}` is the recorder's, `{host}` and `{port}` of it, `{mailPort}` that of SMTP; `{privateKey}` a PEM. */
  readonly config: string;
  readonly script: Script;
  /** One after the other. */
  readonly sends: readonly Send[];
  /** What ours does not send as the real one does: a path of `requests` → why. */
  readonly differs: Readonly<Record<string, string>>;
}

export interface Send {
  readonly recipient: string;
  /** YAML. */
  readonly template: string;
  readonly vars: Readonly<Record<string, unknown>>;
}

/** What a case came to. */
export interface Outcome {
  readonly requests: readonly Recorded[];
  /** For each send whether it failed. */
  readonly failed: readonly boolean[];
}

interface CaseFile {
  type: string;
  config: string;
  script?: Script;
  cases: {
    name: string;
    service?: string;
    config?: string;
    script?: Script;
    sends: { recipient?: string; template: string; vars?: Record<string, unknown> }[];
    differs?: Record<string, string>;
  }[];
}

const folder = join(import.meta.dirname, "cases");
/** Of every message, as notifications-engine gives it. */
const app = {
  metadata: { name: "guestbook", namespace: "argocd" },
  spec: { source: { repoURL: "https://github.com/acme/guestbook.git", path: "." } },
  status: {
    sync: { status: "Synced", revision: "0123456789012345678901234567890123456789" },
    operationState: {
      phase: "Succeeded",
      syncResult: { revision: "0123456789012345678901234567890123456789" },
    },
  },
};

export function readCases(): readonly Case[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".yaml"))
    .sort()
    .flatMap((name) => {
      const file = load(readFileSync(join(folder, name), "utf8")) as CaseFile;
      return file.cases.map((one) => ({
        type: file.type,
        name: one.name,
        service: one.service ?? file.type,
        config: one.config ?? file.config,
        script: { ...file.script, ...one.script },
        sends: one.sends.map(({ recipient = "", template, vars = {} }) => ({
          recipient,
          template,
          vars: { app, serviceType: one.service ?? file.type, recipient, ...vars },
        })),
        differs: one.differs ?? {},
      }));
    });
}

interface Place {
  readonly address: string;
  readonly mailPort: number;
  readonly privateKey: string;
}

/** With what the recorder has put in. */
export function placed(text: string, { address, mailPort, privateKey }: Place): string {
  const { hostname, port } = new URL(address);
  return text
    .replaceAll("{address}", address)
    .replaceAll("{host}", hostname)
    .replaceAll("{port}", port)
    .replaceAll("{mailPort}", String(mailPort))
    .replaceAll("{privateKey}", JSON.stringify(privateKey));
}

/** What differs from run to run has a name in its place. */
export function steady(outcome: Outcome, address: string): Outcome {
  const text = JSON.stringify(outcome)
    .replaceAll(address, "http://service")
    .replaceAll(new URL(address).host, "service")
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uuid>")
    .replace(/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, (time) =>
      time.startsWith("2006") ? time : "<time>",
    )
    .replace(/\b20\d{6}(T\d{6}Z)?\b/g, "<day>")
    .replace(/Signature=[0-9a-f]{64}/g, "Signature=<signature>")
    .replace(/SignedHeaders=[\w;-]+/g, "SignedHeaders=<names>")
    .replace(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, "<jwt>")
    .replace(/"time":\d{13}/g, '"time":"<ms>"');
  return JSON.parse(text) as Outcome;
}

/** Without the parts that are said to differ, which are gone from both. */
export function withoutDiffering(outcome: Outcome, differs: Case["differs"]): Outcome {
  const copy: unknown = structuredClone(outcome);
  for (const path of Object.keys(differs)) drop(copy, path.split("/"));
  return copy as Outcome;
}

function drop(value: unknown, [key = "", ...rest]: readonly string[]): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value) && key.startsWith("without ")) {
    const path = key.slice("without ".length);
    const kept = value.filter(
      (one: Recorded) => !`${one.method} ${one.path}`.replaceAll("/", "|").startsWith(path),
    );
    value.splice(0, value.length, ...kept);
    return;
  }
  const keys = key === "*" ? Object.keys(value) : [key];
  for (const one of keys)
    if (rest.length > 0) drop(Reflect.get(value, one), rest);
    else Reflect.deleteProperty(value, one);
}

import type { Flags } from "../../command.ts";
import { appOutput } from "./show-resources.ts";
import { localFlags } from "./source-flags.ts";
import { revisionFlags } from "./source-position.ts";

export const syncFlags = {
  ...revisionFlags,
  prune: { kind: "boolean", help: "Delete what git no longer has" },
  "dry-run": { kind: "boolean", help: "Change nothing; say what would happen" },
  force: { kind: "boolean", help: "Delete and create again what cannot be changed" },
  replace: { kind: "boolean", help: "Replace objects instead of applying them" },
  "server-side": { kind: "boolean", help: "Apply server-side, or with =false as kubectl apply does" },
  "apply-out-of-sync-only": { kind: "boolean", help: "Only objects that differ" },
  strategy: { kind: "string", help: "With hooks or without", choices: ["apply", "hook"], byDefault: "hook" },
  resource: {
    kind: "strings",
    help: "Only this resource, GROUP:KIND:[NAMESPACE/]NAME; * stands for all, ! excludes",
    value: "RESOURCE",
  },
  label: { kind: "strings", help: "Only resources with this label", value: "KEY=VALUE" },
  ...localFlags,
  "ignore-normalizer-jq-execution-timeout": {
    kind: "duration",
    help: "Accepted for compatibility; the server compares",
    hidden: true,
  },
  async: { kind: "boolean", help: "Do not wait for the end" },
  timeout: { kind: "duration", help: "Give up waiting after this time", value: "SECONDS" },
  "retry-limit": { kind: "integer", help: "Retries of a failed sync", value: "N" },
  "retry-refresh": { kind: "boolean", help: "Take the newest revision on each retry" },
  "retry-backoff-duration": { kind: "duration", help: "First wait between retries", byDefault: "5s" },
  "retry-backoff-max-duration": { kind: "duration", help: "Longest wait between retries", byDefault: "3m" },
  "retry-backoff-factor": { kind: "integer", help: "By how much waits grow", byDefault: "2" },
  info: { kind: "strings", help: "name=value kept with the operation", value: "INFO" },
  "preview-changes": { kind: "boolean", help: "Show the plan and ask before syncing" },
  assumeYes: { kind: "boolean", help: "Do not ask" },
  selector: { kind: "string", short: "l", help: "All applications with these labels", value: "SELECTOR" },
  project: { kind: "list", help: "All applications of these projects", value: "PROJECT" },
  output: appOutput,
  "app-namespace": { kind: "string", short: "N", help: "Namespace of the applications", value: "NAMESPACE" },
} as const satisfies Flags;

import type { CommandEntry, Group } from "@capstan/cli/record";
import { vaultGroup } from "./argocd-vault-plugin/group.ts";
import { kptGroup } from "./kpt/group.ts";
import { versionOf } from "./version-of.ts";

/** What the programs of this folder can do. A command's file is loaded when it is called. */
export const commands: readonly CommandEntry[] = [
  {
    name: "kpt fn render",
    aliases: ["kpt render", "kpt functions render"],
    summary: "Run the pipelines of a package's Kptfiles",
    load: () => import("./kpt/render.ts"),
  },
  {
    name: "kpt fn eval",
    aliases: ["kpt eval", "kpt functions eval"],
    summary: "Run one function on a folder, or on a list on standard input",
    load: () => import("./kpt/eval.ts"),
  },
  {
    name: "kpt fn source",
    aliases: ["kpt source", "kpt functions source"],
    summary: "Print a package as one list",
    load: () => import("./kpt/source.ts"),
  },
  {
    name: "kpt fn sink",
    aliases: ["kpt sink", "kpt functions sink"],
    summary: "Write the files of such a list, from standard input",
    load: () => import("./kpt/sink.ts"),
  },
  { name: "kpt version", summary: "Print the version", load: async () => versionOf("kpt") },
  {
    name: "vault-plugin generate",
    summary: "Print manifests with their placeholders filled",
    load: () => import("./argocd-vault-plugin/generate.ts"),
  },
  {
    name: "vault-plugin version",
    summary: "Print the version",
    load: async () => versionOf("argocd-vault-plugin"),
  },
  { name: "up", summary: "Run all of Capstan on this machine", load: () => import("./up/command.ts") },
  {
    name: "status",
    summary: "Show whether Capstan runs on this machine, and where",
    load: () => import("./local/status.ts"),
  },
  {
    name: "logs",
    summary: "Print what capstan up --detach has said",
    load: () => import("./local/logs.ts"),
  },
  { name: "down", summary: "Stop Capstan on this machine", load: () => import("./local/down.ts") },
  {
    name: "doctor",
    summary: "Look whether what Capstan needs is on this machine",
    load: () => import("./local/doctor.ts"),
  },
  {
    name: "debug queues",
    summary: "Show what the queues of a running Capstan do",
    load: async () => ({ default: (await import("./local/debug.ts")).queues }),
  },
  {
    name: "debug memory",
    summary: "Show what its memory is used for",
    load: async () => ({ default: (await import("./local/debug.ts")).memory }),
  },
  {
    name: "debug cpu",
    summary: "Write a CPU profile of it",
    load: async () => ({ default: (await import("./local/debug.ts")).cpu }),
  },
  {
    name: "debug heap",
    summary: "Write a heap snapshot of it",
    load: async () => ({ default: (await import("./local/debug.ts")).heap }),
  },
  {
    name: "install",
    summary: "Install Capstan on a cluster",
    load: async () => ({ default: (await import("./install/commands.ts")).install }),
  },
  {
    name: "upgrade",
    summary: "Bring what capstan install has made to this version",
    load: async () => ({ default: (await import("./install/commands.ts")).upgrade }),
  },
  {
    name: "uninstall",
    summary: "Take away what capstan install has made",
    load: async () => ({ default: (await import("./install/commands.ts")).uninstall }),
  },
  {
    name: "admin migrate check",
    summary: "Say what would differ if Capstan took the place of an Argo CD",
    load: () => import("./migrate/check.ts"),
  },
  {
    name: "tools install",
    summary: "Download helm and kubectl where none come along",
    load: () => import("./tools/install.ts"),
  },
  {
    name: "kubectl",
    summary: "Run kubectl on the cluster of the Capstan of this machine",
    load: async () => ({ default: (await import("./local/run-tool.ts")).toolCommand("kubectl") }),
  },
  {
    name: "helm",
    summary: "Run helm on the cluster of the Capstan of this machine",
    load: async () => ({ default: (await import("./local/run-tool.ts")).toolCommand("helm") }),
  },
  {
    name: "server",
    summary: "Run the API server and the page alone",
    load: () => import("./server/command.ts"),
  },
  {
    name: "repo-server",
    summary: "Render for the other programs",
    load: () => import("./repo-server/command.ts"),
  },
  {
    name: "controller",
    summary: "Run the application controller alone, with image updates",
    load: () => import("./controller/command.ts"),
  },
  {
    name: "application-set",
    summary: "Run the ApplicationSet controller alone",
    load: () => import("./application-set/command.ts"),
  },
  {
    name: "notifications",
    summary: "Run the notification controller alone",
    load: () => import("./notifications/command.ts"),
  },
  {
    name: "plugin-server",
    program: "argocd-cmp-server",
    summary: "Serve plugins to Capstan or to Argo CD",
    load: () => import("./plugin-server/command.ts"),
  },
  {
    name: "render-process",
    hidden: true,
    summary: "What up and the repo server render in",
    load: () => import("./render-process.ts"),
  },
  {
    name: "local-plugins",
    hidden: true,
    summary: "What up serves its own plugins in",
    load: () => import("./local-plugins.ts"),
  },
  {
    name: "kustomize",
    hidden: true,
    summary: "kustomize where none is installed",
    load: () => import("./kustomize.ts"),
  },
];

export const groups: readonly Group[] = [
  kptGroup,
  vaultGroup,
  { name: "admin migrate", summary: "From Argo CD to Capstan" },
  { name: "debug", summary: "Look into a Capstan that runs on this machine" },
];

/** Which pages of docs/ are typed, in which order, and what each finds. */
import { lackingGitSshServer, lackingOciRegistry } from "@capstan/testkit";
import type { Names } from "./page-script.ts";
import { type Preparation, prepareCommandLine, preparePasted, prepareSignOn } from "./prepare.ts";
import {
  prepareFromArgoCD,
  prepareMigration,
  prepareObserving,
  preparePrograms,
} from "./prepare-clusters.ts";
import { preparePlugins, prepareSecrets, prepareSources } from "./prepare-sources.ts";

export interface PageSetting {
  /** A home of its own in which nothing runs, with `cluster` a kubeconfig in it; else beside the Capstan that pages share. */
  readonly place?: "own" | "cluster";
  /** It starts that Capstan itself. */
  readonly starts?: true;
  /** Starts what the page speaks of, and gives what stands for the names in it. */
  readonly prepare?: (preparation: Preparation) => Promise<Names>;
  /** Blocks with this text are left out where there is a reason why what they speak of cannot be started. */
  readonly lacking?: Readonly<Record<string, () => string | false>>;
}

/** In this order, since each begins where its own first lines say. */
export const pages: Readonly<Record<string, PageSetting>> = {
  "getting-started": { starts: true },
  troubleshooting: {},
  "embedded-cluster": {},
  sources: { prepare: prepareSources, lacking: { "registry.example": lackingOciRegistry } },
  syncing: {},
  "writing-a-plugin": {},
  cdk8s: {},
  lovely: {},
  kpt: {},
  secrets: { prepare: prepareSecrets },
  plugins: { place: "own", prepare: preparePlugins },
  pipelines: {},
  "command-line": { prepare: prepareCommandLine, lacking: { "ssh-keyscan": lackingGitSshServer } },
  rights: {},
  webhooks: {},
  ci: {},
  "pasted-definitions": { place: "own", prepare: preparePasted },
  extensions: { place: "own" },
  "sign-on": { place: "own", prepare: prepareSignOn },
  "your-cluster": { place: "cluster" },
  installation: { place: "cluster" },
  observing: { place: "cluster", prepare: prepareObserving },
  programs: { place: "cluster", prepare: preparePrograms },
  "plugin-services": { place: "cluster" },
  "from-argocd": { place: "cluster", prepare: prepareFromArgoCD },
  migration: { place: "cluster", prepare: prepareMigration },
  backup: {},
};
export const allPages = Object.keys(pages);
/** By tests of their own. */
export const elsewhere: readonly string[] = ["shipping-a-plugin"];

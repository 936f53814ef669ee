/** Which pages of docs/ are typed, in which order, and what each finds. */
import type { Names } from "./page-script.ts";
import {
  type Preparation,
  prepareCharts,
  prepareCommandLine,
  preparePasted,
  prepareSignOn,
} from "./prepare.ts";
import {
  prepareFromArgoCD,
  prepareMigration,
  prepareObserving,
  preparePrograms,
} from "./prepare-clusters.ts";

export interface PageSetting {
  /** A home of its own in which nothing runs, with `cluster` a kubeconfig in it; else beside the Capstan that pages share. */
  readonly place?: "own" | "cluster";
  /** It starts that Capstan itself. */
  readonly starts?: true;
  /** Starts what the page speaks of, and gives what stands for the names in it. */
  readonly prepare?: (preparation: Preparation) => Promise<Names>;
}

/** In this order, since each begins where its own first lines say. */
export const pages: Readonly<Record<string, PageSetting>> = {
  "getting-started": { starts: true },
  troubleshooting: {},
  "embedded-cluster": {},
  sources: { prepare: prepareCharts },
  syncing: {},
  "writing-a-plugin": {},
  cdk8s: {},
  lovely: {},
  kpt: {},
  secrets: {},
  plugins: {},
  pipelines: {},
  "command-line": { prepare: prepareCommandLine },
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

/** Which pages of docs/ are typed, in which order, and what each finds. */
import type { Names } from "./page-script.ts";
import {
  type Preparation,
  prepareFromArgoCD,
  prepareObserving,
  preparePasted,
  preparePrograms,
  prepareSignOn,
} from "./prepare.ts";

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
  sources: {},
  syncing: {},
  "writing-a-plugin": {},
  cdk8s: {},
  lovely: {},
  kpt: {},
  secrets: {},
  plugins: {},
  pipelines: {},
  "command-line": {},
  rights: {},
  webhooks: {},
  ci: {},
  "pasted-definitions": { place: "own", prepare: preparePasted },
  extensions: { place: "own" },
  "sign-on": { place: "own", prepare: prepareSignOn },
  "your-cluster": { place: "cluster" },
  observing: { place: "cluster", prepare: prepareObserving },
  "from-argocd": { place: "cluster", prepare: prepareFromArgoCD },
  "plugin-services": { place: "cluster" },
  programs: { place: "cluster", prepare: preparePrograms },
  backup: {},
};
export const allPages = Object.keys(pages);
/** By tests of their own. */
export const elsewhere: readonly string[] = ["shipping-a-plugin"];

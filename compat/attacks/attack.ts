import type { CapstanProcess, ChartServer, GitServer } from "@capstan/testkit";
import type { ApiAnswer, ApiRequestOptions } from "@capstan/testkit/worlds";
import type { Form } from "./rpc-ask.ts";

/** What a stranger tries, what must come of it, and what Capstan holds against it: a row of docs/security.md. */
export interface Attack {
  /** `<file>/<what it does>`, in words with hyphens. */
  readonly id: string;
  /** One sentence: who tries what. */
  readonly threat: string;
  /** One sentence: what in Capstan stops it. */
  readonly heldBy: string;
  /** Published advisories of Argo CD, Flux, Helm, Kustomize, git and others whose class this is. */
  readonly advisories?: readonly string[];
  /** Why it cannot be tried in this world; false where it can. */
  readonly lacks?: (world: AttackWorld) => string | false;
  /** Takes more than about ten seconds: `--short` leaves it out. */
  readonly slow?: true;
  /** Tries it and fails where it succeeds. */
  readonly play: (world: AttackWorld) => Promise<void>;
}

/** Who `up` runs as, and whether it has bubblewrap. */
export interface Mode {
  readonly name: "root" | "root without sandbox" | "user" | "user without sandbox";
  /** undefined: as whoever runs the attacks. */
  readonly user?: number;
  readonly hasSandbox: boolean;
  /** How requests reach it, where they can: Argo CD's clients speak gRPC, and gRPC-web behind proxies. Default rest. */
  readonly form?: Form;
}

/** An account of Capstan, or somebody without one. */
export type Who = "admin" | "alice" | "bob" | "carol" | "nobody";

/** What an attacker may know: he guesses paths and reads documentation. */
export interface Places {
  /** A folder of the machine that no tenant may read or write; its file `secret` holds a canary. */
  readonly outside: string;
  /** Nothing is there. An attack that can write or run something makes it. */
  readonly proof: string;
  /** The operator's folder of scripts for the page. */
  readonly pageExtensions: string;
  /** Of `capstan up`. */
  readonly dataDir: string;
  /** Address of Capstan's API and page. */
  readonly url: string;
  /** Repositories `<gitUrl>/team-….git` are team's, `<gitUrl>/rival-….git` are rival's. */
  readonly gitUrl: string;
  /** A Helm repository that both may use. */
  readonly chartsUrl: string;
}

/**
 * `capstan up` with two projects. `team` (alice) may use repositories team-* and namespaces team-*; `rival` (bob)
 * repositories rival-* and namespaces rival-*. carol may see and sync team's applications. Of cluster-scoped objects
 * the projects allow Namespaces of these names alone. Canaries lie where no tenant may read.
 */
export interface AttackWorld extends AsyncDisposable {
  readonly mode: Mode;
  readonly at: Places;
  readonly capstan: CapstanProcess;
  readonly git: GitServer;
  readonly charts: ChartServer;
  /** `line`: method and path, "GET /api/v1/applications". */
  ask(who: Who, line: string, options?: ApiRequestOptions): Promise<ApiAnswer>;
  /** Throws where one of the texts, or what `up` has printed, shows a canary; or where something outside changed. */
  assertUnharmed(texts: readonly string[]): Promise<void>;
}

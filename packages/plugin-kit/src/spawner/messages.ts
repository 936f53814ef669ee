/** What the spawner is told to do; ids are the asker's. */
export type Order = StartOrder | KillOrder | PipesOrder;

export interface StartOrder {
  readonly start: number;
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Named pipes. */
  readonly stdout: string;
  readonly stderr: string;
  readonly stdin?: string;
  readonly isSandbox?: boolean;
}

/** The program with all of its group. */
export interface KillOrder {
  readonly kill: number;
  readonly signal: NodeJS.Signals;
}

/** Makes named pipes. */
export interface PipesOrder {
  readonly pipes: number;
  readonly paths: readonly string[];
}

/** What became of an order. */
export type Report =
  | { readonly done: number; readonly pid?: number }
  | { readonly failed: number; readonly message: string; readonly code?: string }
  | { readonly ended: number; readonly exitCode: number | null; readonly killedBy: NodeJS.Signals | null };

/** Only the two programs of this folder speak on their channel. */
export function isOrder(message: unknown): message is Order {
  return (
    typeof message === "object" &&
    message !== null &&
    ("start" in message || "kill" in message || "pipes" in message)
  );
}

export function isReport(message: unknown): message is Report {
  return (
    typeof message === "object" &&
    message !== null &&
    ("done" in message || "failed" in message || "ended" in message)
  );
}

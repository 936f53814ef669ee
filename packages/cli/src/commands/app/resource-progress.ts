import { formatTime } from "@capstan/formats";
import type { Application } from "@capstan/model";
import type { Io } from "../../io.ts";
import { type ResourceState, resourceHeader, resourceStates } from "../../output/app-summary.ts";
import { painter, paintState } from "../../output/paint.ts";

const widths = [20, 16, 11, 12, 24, 10, 11, 8];

/** One line for each resource whose state has changed, with the time: the running account of `argocd app sync`. */
export class ResourceProgress {
  readonly #io: Io;
  readonly #shown = new Map<string, string>();
  #isBegun = false;

  constructor(io: Io) {
    this.#io = io;
  }

  show(app: Application): void {
    for (const state of resourceStates(app)) {
      const id = `${state.group}/${state.kind}/${state.namespace}/${state.name}`;
      const text = `${state.status}/${state.health}/${state.hook}/${state.message}`;
      if (this.#shown.get(id) === text) continue;
      this.#shown.set(id, text);
      this.#print(state);
    }
  }

  #print({ group, kind, namespace, name, status, health, hook, message }: ResourceState): void {
    if (!this.#isBegun) this.#io.out(layout(["TIMESTAMP", ...resourceHeader]));
    this.#isBegun = true;
    const paint = painter(this.#io);
    const cells = [
      formatTime(this.#io.clock.now()),
      group,
      kind,
      namespace,
      name,
      status,
      health,
      hook,
      message,
    ];
    this.#io.out(
      layout(cells, (cell, index) =>
        index === 5 || index === 6 ? paintState(paint, cell.trim()) + trailing(cell) : cell,
      ),
    );
  }
}

function layout(
  cells: readonly string[],
  dress: (cell: string, index: number) => string = (cell) => cell,
): string {
  const padded = cells.map((cell, index) =>
    dress(index < widths.length ? cell.padEnd(widths[index] ?? 0) : cell, index),
  );
  return `${padded.join("  ").trimEnd()}\n`;
}

function trailing(cell: string): string {
  return " ".repeat(cell.length - cell.trimEnd().length);
}

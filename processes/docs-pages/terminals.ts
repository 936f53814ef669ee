/** Terminals in which something goes on until Ctrl-C, beside the one in which a page is typed. */
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startProcess, type TestProcess } from "@capstan/testkit";
import { lackingLines, type Names, type TypedCommand } from "./page-script.ts";

/** Who has not said by then what the page shows does not say it. */
const limitMs = 60_000;

interface Terminal {
  readonly block: number;
  readonly process: TestProcess;
}

export class Terminals {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  #open: Terminal[] = [];
  /** What each has printed, by the place of its command. */
  readonly printed = new Map<number, string>();

  constructor(folder: string, env: NodeJS.ProcessEnv) {
    this.#folder = folder;
    this.#env = env;
  }

  /** Opens what the page has come to; `isOver` once nothing more is typed. */
  async serve(commands: readonly TypedCommand[], names: Names, isOver: () => boolean): Promise<void> {
    for (const [index, command] of commands.entries()) {
      if (!command.goesOn) continue;
      const file = join(this.#folder, `${command.block}-${index}`);
      while (!existsSync(`${file}.begin`)) {
        if (isOver()) return;
        await sleep(50);
      }
      await this.#end((one) => one.block !== command.block);
      const process = startProcess("/bin/bash", [`${file}.sh`], { env: this.#env, detached: true });
      this.#open.push({ block: command.block, process });
      const until = Date.now() + limitMs;
      const isLate = () => process.ended() !== undefined || isOver() || Date.now() > until;
      while (!isLate() && lackingLines(command, process.output(), names).length > 0) await sleep(50);
      this.printed.set(index, process.output());
      await writeFile(`${file}.goes-on`, "");
    }
  }

  /** Ctrl-C in all of them. */
  close(): Promise<void> {
    return this.#end(() => true);
  }

  async #end(isMeant: (one: Terminal) => boolean): Promise<void> {
    const meant = this.#open.filter(isMeant);
    this.#open = this.#open.filter((one) => !isMeant(one));
    for (const { process: shell } of meant)
      if (shell.ended() === undefined) process.kill(-shell.pid, "SIGINT");
    await Promise.all(meant.map(({ process: shell }) => untilEnded(shell)));
  }
}

async function untilEnded(shell: TestProcess): Promise<void> {
  for (let tries = 0; tries < 400 && shell.ended() === undefined; tries++) await sleep(50);
  if (shell.ended() === undefined) process.kill(-shell.pid, "SIGKILL");
  await shell[Symbol.asyncDispose]();
}

import { execFile } from "node:child_process";

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Where a command runs and what it finds there. */
export interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const stepLimitMs = 120_000;

/** What a shell's command said and how it ended; it never hears anything. */
export function shell(command: string, { cwd, env }: Place): Promise<Outcome> {
  return new Promise((resolve) => {
    const options = { cwd, env, timeout: stepLimitMs, maxBuffer: 64 << 20 };
    const child = execFile("/bin/sh", ["-c", command], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      resolve({ code, stdout, stderr: code === -1 ? `${stderr}${error?.message}` : stderr });
    });
    child.stdin?.end();
  });
}

import { readdir, readFile } from "node:fs/promises";

/** Process ids of the repo servers that a running `capstan up` has started; read from Linux's /proc. */
export async function repoServersOf(pid: number): Promise<number[]> {
  const all = await descendantsOf(pid);
  const lines = await Promise.all(all.map((one) => readOrNothing(`/proc/${one}/cmdline`)));
  return all.filter((_, index) => {
    const [program = "", ...words] = (lines[index] ?? "").split("\0");
    return program.endsWith("/node") && words.includes("render-process");
  });
}

async function descendantsOf(pid: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(tasks.map((task) => readOrNothing(`/proc/${pid}/task/${task}/children`)));
  const children = lists.flatMap((list) => list.split(" ").filter(Boolean).map(Number));
  return [...children, ...(await Promise.all(children.map(descendantsOf))).flat()];
}

/** A process may end while it is looked at. */
function readOrNothing(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}

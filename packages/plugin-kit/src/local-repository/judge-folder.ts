import { realpath } from "node:fs/promises";
import { normalize } from "node:path";
import type { LocalFolders } from "@capstan/model";
import { isWithin } from "../paths.ts";
import { findPlaces } from "./repository-places.ts";

/** Of the kernel: what stands there is another folder for each process that looks. */
const unsteady = ["/proc", "/sys", "/dev"];
/** The machine's own: only where its operator lists it. */
const ofMachine = ["/run", "/etc", "/boot"];

export interface JudgedFolder {
  readonly verdict: "permitted" | "own data" | "other";
  /** What must be seen of the disk to fetch from it, as real paths; nothing for what is no repository. */
  readonly places: readonly string[];
}

/** Whether applications may use a folder as repository, wherever links, a `.git` file or borrowed objects lead. */
export async function judgeFolder(folder: string, folders: LocalFolders): Promise<JudgedFolder> {
  const lexical = judgePath(normalize(folder), folders);
  if (lexical !== "permitted") return { verdict: lexical, places: [] };
  const real = await realpath(folder).catch(() => undefined);
  // Of what is not there git says so.
  if (real === undefined) return { verdict: "permitted", places: [] };
  const { places, isWhole } = await findPlaces(real);
  if (places === undefined) return { verdict: "other", places: [] };
  for (const path of places) {
    const verdict = judgePath(path, folders);
    if (verdict !== "permitted") return { verdict, places: [] };
  }
  const outermost = places.filter((one) => !places.some((other) => other !== one && isWithin(other, one)));
  return { verdict: "permitted", places: isWhole ? [...new Set(outermost)] : [] };
}

function judgePath(
  path: string,
  { listed, closed, open, isOwnPermitted }: LocalFolders,
): JudgedFolder["verdict"] {
  const isIn = (all: readonly string[]) => all.some((one) => isWithin(one === "/" ? "" : one, path));
  if (isIn(unsteady)) return "other";
  if (isIn(open)) return "permitted";
  if (isIn(closed)) return "own data";
  return isIn(listed) || (isOwnPermitted && !isIn(ofMachine)) ? "permitted" : "other";
}

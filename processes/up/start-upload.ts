import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { LocalFolders } from "@capstan/model";
import {
  ProgramGroup,
  requireFolder,
  type Sandbox,
  sandboxArguments,
  visiblePrograms,
} from "@capstan/plugin-kit";
import type { StartUpload } from "@capstan/servers/repo";
import type { UpOptions } from "./options.ts";

/** Of git on this machine, for repositories of other users that its owner trusts; no variable leads it elsewhere. */
const ofGit = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"];

/** `git upload-pack` in a sandbox that sees one repository and has no network. */
export function startUpload({ dataDir }: UpOptions, folders: LocalFolders, sandbox: Sandbox): StartUpload {
  const { PATH = "/usr/local/bin:/usr/bin:/bin", ...given } = process.env;
  const settings = ofGit.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]] as const]));
  const files = settings.map(([, value]) => value).filter((value) => isAbsolute(value) && existsSync(value));
  const programs = [...visiblePrograms(PATH), "/etc/gitconfig", ...files];
  const env = { PATH, LANG: "C.UTF-8", HOME: "/dev/null", ...Object.fromEntries(settings) };
  return async (folder, version) => {
    const places = await requireFolder(folder, folders);
    const view = {
      cwd: "/",
      // Under the name that git is given, and where links of it lead.
      readable: [...programs, ...(places.length === 0 ? [] : [folder]), ...places],
      writable: [],
      hidden: [dataDir],
      network: false,
    };
    const [program = "", ...args] = [...sandboxArguments(view, sandbox), "git", "upload-pack", folder];
    const child = spawn(program, args, {
      env: { ...env, GIT_PROTOCOL: `version=${version}` },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    // Without the sandbox's own processes its output would stay open where it is killed while it sets itself up.
    const group = ProgramGroup.of(child);
    const ended = new Promise<number | null>((resolve) => {
      child.once("error", () => resolve(null));
      child.once("close", (code) => resolve(code));
    });
    return { ...streamsOf(child), ended, kill: () => group.kill("SIGKILL") };
  };
}

function streamsOf({ stdin, stdout, stderr }: ReturnType<typeof spawn>) {
  if (!stdin || !stdout || !stderr) throw new TypeError("git was started without its streams");
  return { stdin, stdout, stderr };
}

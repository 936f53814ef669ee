const calls = "%file,fchdir,getdents,getdents64,connect,sendto,sendmsg,clone,clone3,fork,vfork";
const longestPath = 4096;

/** strace before a command: what it and all that it starts open, list and look for, a file for each process. */
export function traceArguments(strace: string, prefix: string): string[] {
  const quiet = ["-qq", "-e", "signal=none", "-s", String(longestPath)];
  return [strace, "-ff", "-y", "--seccomp-bpf", ...quiet, "-e", `trace=${calls}`, "-o", prefix, "--"];
}

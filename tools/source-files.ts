import { execFileSync } from "node:child_process";

/** TypeScript files that git tracks or would track, relative to the top folder; generated ones left out. */
export function sourceFiles(): string[] {
  const output = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.ts", "*.tsx"], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return output.split("\n").filter((file) => file !== "" && !file.includes("/generated/"));
}

/** Tests, and what stands in their testdata. */
export const isTest = (file: string): boolean =>
  /\.test\.tsx?$|\/testdata\//.test(file) || file.startsWith("tests/");

/** What `npm ci` makes ready: the page, and the tools that come inside npm packages. Both are kept when up to date. */
import { execFileSync } from "node:child_process";

const top = new URL("..", import.meta.url);
execFileSync("npm", ["run", "--silent", "build", "-w", "packages/ui"], { cwd: top, stdio: "inherit" });
const { prepareTools } = await import("@capstan/plugins");
await prepareTools();

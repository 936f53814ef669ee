import type { Script } from "../script.ts";
import { accounts } from "./accounts.ts";
import { firstApp } from "./first-app.ts";
import { projects } from "./projects.ts";

export const scripts: readonly Script[] = [...accounts, ...projects, ...firstApp];

export type * from "./repo-server.ts";

export { startClusterThread } from "./thread/start-cluster-thread.ts";

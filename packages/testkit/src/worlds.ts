/**
 * Worlds in which a test plays parts of Capstan in its own process: they load nearly all of it, which takes half a second
 * and 130 MB. Who starts programs alone has enough in the other door.
 */

export { playActingAccounts } from "./acting-accounts.ts";
export { type ApiAnswer, type ApiRequestOptions, type ApiWorld, openApiWorld } from "./api-world.ts";
export { builtInPlugins } from "./built-in-plugins.ts";
export { type ListeningCluster, startListeningCluster } from "./listening-cluster.ts";
export { openSceneWorld, type Scene, type SceneWorld } from "./scene-world.ts";
export { openSecondCluster } from "./second-cluster.ts";
export { generatorSet, listOf, listSet, openSetWorld, type SetWorld } from "./set-world.ts";
export { openSmallWorld, type SmallWorld, type SmallWorldOptions } from "./small-world.ts";
export {
  applicationRef,
  configMapRef,
  readObject,
  refresh,
  requestSync,
  untilObject,
  untilOperation,
} from "./small-world-steps.ts";
export { unboundedClient } from "./unbounded-client.ts";

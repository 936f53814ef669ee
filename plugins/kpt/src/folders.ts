/** kpt's commands on folders of this machine. */
export { evalKptFolder, type KptSurroundings, renderKptFolder } from "./kpt-folder.ts";
export { sinkKptFolder, sourceKptFolder } from "./stream-folder.ts";

/** kpt's commands on folders of this machine. */
export { evalKptFolder, type KptSurroundings, renderKptFolder } from "./kpt/kpt-folder.ts";
export { sinkKptFolder, sourceKptFolder } from "./kpt/stream-folder.ts";

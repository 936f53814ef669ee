import { defineWindowSwitch } from "./windows.ts";

export default defineWindowSwitch(
  "Do not permit that a sync goes on which began before a window forbade it.",
  "syncOverrun",
  false,
);

/** Listed all the same: who plans a pipeline sees what will be possible, and that it is not yet. */
export const needsBridge = "Needs a bridge; bridges are not part of this version of the hub.";

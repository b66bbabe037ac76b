#!/usr/bin/env node
// Service managers and containers name this file.
import "../../cli/bin/hub.js";

// Runs the worker in SCRATCH/other with the R in SCRATCH/node_modules: `run.mjs SCRATCH`.
const [scratch] = process.argv.slice(2);
const { WebR } = await import(`${scratch}/node_modules/webr/dist/webr.mjs`);
const r = new WebR({ interactive: false });
await r.init();
await r.FS.mkdir("/crib");
await r.FS.mount("NODEFS", { root: `${scratch}/other` }, "/crib");
try {
  await r.evalRVoid('Sys.setenv(TMPDIR = "/crib"); setwd("/crib"); source("worker.R")');
} catch (exit) {
  // The worker exits with status 70 at the end of its input.
  if (!String(exit).includes("exit(70)")) throw exit;
}
process.exit(0);

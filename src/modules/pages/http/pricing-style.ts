import { PAGE_STYLE } from './page-frame.js';

/** For a page that loads no style sheet. */
export const PRICING_STYLE = `${PAGE_STYLE}
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.symbols { display: none; }
.icon { flex: none; width: 16px; height: 16px; margin-top: 2px; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.yes { color: var(--good); } .no { color: var(--text-2); }
.top > div, main, footer { max-width: 1176px; margin: 0 auto; padding: 0 20px; }
.intro { padding: 48px 0 40px; text-align: center; }
h1 { font-size: 32px; line-height: 40px; font-weight: 680; letter-spacing: -0.022em; }
.intro p { margin-top: 8px; font-size: 16px; line-height: 24px; color: var(--text-2); }
.plans { display: grid; grid-template-columns: repeat(3, 1fr); column-gap: 16px; }
.plan { display: grid; grid-row: span 5; grid-template-rows: subgrid; margin-bottom: 16px; padding: 20px; border: 1px solid var(--line); border-radius: 10px; background: var(--card); box-shadow: var(--shadow); }
.plan h2 { font-size: 15px; line-height: 22px; font-weight: 620; }
.plan { position: relative; } .plan.recommended { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent), 0 8px 24px rgb(16 24 40 / 8%); }
.badge { position: absolute; top: -12px; left: 19px; padding: 0 10px; border-radius: 12px; background: #3d5afe; color: #fff; font-size: 12px; font-weight: 600; line-height: 23px; }
.enterprise { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 16px 32px; padding: 22px 24px; border-radius: 10px; background: #15181d; color: #fff; border: 1px solid var(--line); }
.enterprise h2 { font-size: 17px; line-height: 24px; } .enterprise p { color: #b9c1cc; } .enterprise ul { grid-template-columns: repeat(2, auto); justify-content: start; gap: 6px 28px; margin-top: 12px; } .enterprise .yes { color: #4cc38a; }
.enterprise > div:last-child { display: grid; gap: 8px; justify-items: center; } .enterprise .button { min-width: 200px; background: #fff; border-color: #fff; color: #15181d; } .enterprise .button:hover { background: #e5e8ec; }
.marked { background: color-mix(in srgb, var(--accent-soft) 45%, transparent); }
.questions { display: grid; grid-template-columns: 1fr 1fr; gap: 24px 48px; margin-top: 24px; } .questions dt { font-weight: 600; } .questions dd { margin: 2px 0 0; color: var(--text-2); }
.audience { margin: 2px 0 16px; color: var(--text-2); }
.amount { display: flex; align-items: baseline; gap: 6px; font-size: 32px; line-height: 40px; font-weight: 650; letter-spacing: -0.022em; font-variant-numeric: tabular-nums; }
.amount small { line-height: 1; font-size: 14px; font-weight: 450; letter-spacing: 0; color: var(--text-2); }
.note { color: var(--text-2); font-size: 13px; }
.plan .button { margin-top: 14px; }
.plan h3 { margin: 20px 0 10px; font-size: 13px; font-weight: 600; }
ul { display: grid; gap: 8px; align-content: start; padding: 0; list-style: none; }
li { display: flex; gap: 8px; }
.hint { margin-top: 16px; text-align: center; font-size: 13px; color: var(--text-2); }
.compare { position: relative; margin-top: 56px; border: 1px solid var(--line); border-radius: 10px; background: var(--card); box-shadow: var(--shadow); overflow-x: auto; }
.compare-title { margin-top: 56px; font-size: 20px; line-height: 28px; font-weight: 650; letter-spacing: -0.015em; text-align: center; } .compare-title + .compare { margin-top: 20px; }
table { width: 100%; min-width: 680px; border-collapse: collapse; }
th, td { padding: 9px 16px; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
tbody td, thead th { width: 16%; } th { font-weight: 450; } thead th { font-weight: 620; }
thead td { color: var(--text-2); }
tbody th[scope=rowgroup] { padding-top: 18px; font-size: 12px; font-weight: 600; color: var(--text-2); background: var(--page); }
tbody:last-child tr:last-child > * { border-bottom: 0; }
td .icon { margin: 2px 0; vertical-align: top; }
footer { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 20px; margin-top: 56px; padding-top: 20px; padding-bottom: 32px; border-top: 1px solid var(--line); color: var(--text-2); }
footer nav { display: flex; flex-wrap: wrap; gap: 8px 20px; margin-left: auto; }
footer a { padding: 2px 0; }
@media (max-width: 800px) { .plans { grid-template-columns: 1fr; row-gap: 8px; } .enterprise > div { width: 100%; } }
@media (max-width: 600px) { .questions, .enterprise ul { grid-template-columns: 1fr; } .intro { padding: 32px 0 24px; } h1 { font-size: 26px; line-height: 34px; } .top .quiet { padding: 6px 8px; }
  table { min-width: 0; table-layout: fixed; font-size: 12px; line-height: 16px; } th, td { padding: 8px 2px; overflow-wrap: anywhere; } tbody td, thead th { width: 19%; } tr > :first-child { padding-left: 12px; }
  footer nav { margin-left: 0; width: 100%; } footer > span { width: 100%; } }
`;

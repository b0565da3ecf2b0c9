/** A small shop on which the banner is shown: its style and content. It loads nothing. */

/** A cup, a pot, a tin and a whisk, drawn in the text's colors. */
const PICTURES = {
  tin: '<rect x="34" y="30" width="52" height="62" rx="6"/><rect x="30" y="22" width="60" height="14" rx="5" class="deep"/><rect x="44" y="52" width="32" height="22" rx="3" class="paper"/>',
  pot: '<path d="M28 62a32 26 0 0 1 64 0v10a18 18 0 0 1-18 18H46a18 18 0 0 1-18-18z"/><path d="M92 58l14-10 4 6-18 22z"/><path d="M28 60H18a10 10 0 0 0 0 22h11" class="line"/><circle cx="60" cy="32" r="6" class="deep"/>',
  cup: '<path d="M32 50h52v14a26 26 0 0 1-52 0z"/><path d="M84 54h8a9 9 0 0 1 0 20h-10" class="line"/><rect x="28" y="94" width="60" height="6" rx="3" class="deep"/><path d="M48 40c-6-8 6-10 0-18M66 40c-6-8 6-10 0-18" class="line"/>',
  whisk:
    '<path d="M50 20h20v26H50z" class="deep"/><path d="M50 46h20l10 46H40z"/><path d="M54 48l-4 42M60 48v42M66 48l4 42" class="line paper"/>',
};

const PRODUCTS: [picture: keyof typeof PICTURES, name: string, about: string, price: string][] = [
  ['tin', 'First flush Darjeeling', '100 g · floral, light', '€14.50'],
  ['pot', 'Cast-iron teapot', '0.8 l · with strainer', '€62.00'],
  ['cup', 'Stoneware cup', '250 ml · glazed by hand', '€18.00'],
  ['whisk', 'Matcha set', 'Whisk, bowl, and 30 g', '€39.00'],
];

export const SHOP_STYLE = `
  :root { color-scheme: light dark; --text: #26221c; --page: #f6f3ec; --card: #fffdf8; --line: #e4dccd; --quiet: #665d50; --accent: #2f5d46;
    --tint-1: #dfe8d8; --tint-2: #efdcc6; --tint-3: #d9e3ea; --tint-4: #e6dfee; --ink: #46604f; --deep: #2f4438; --paper: #fffdf8; }
  @media (prefers-color-scheme: dark) { :root { --text: #ece7dd; --page: #171613; --card: #201f1b; --line: #38352d; --quiet: #aea695; --accent: #3d7558;
    --tint-1: #2b352b; --tint-2: #3a3026; --tint-3: #29323a; --tint-4: #332e3c; --ink: #8fb39d; --deep: #5e8a70; --paper: #201f1b; } }
  * { box-sizing: border-box; }
  body { font: 16px/1.6 system-ui, sans-serif; color: var(--text); background: var(--page); margin: 0; }
  main, .shop-head { max-width: 68rem; margin: 0 auto; padding: 0 1.5rem; }
  main { padding-bottom: 18rem; }
  .shop-head { display: flex; flex-wrap: wrap; gap: .5rem 1.75rem; align-items: baseline; padding-block: 1.4rem; }
  .shop-name { font: 700 1.35rem/1 Georgia, 'Times New Roman', serif; letter-spacing: -.01em; margin-right: auto; }
  .shop-head span:not(.shop-name) { color: var(--quiet); font-size: .95rem; }
  .hero { padding: 3rem 0 2.5rem; border-top: 1px solid var(--line); }
  .hero h1 { font: 700 clamp(2rem, 5vw, 3.1rem)/1.08 Georgia, 'Times New Roman', serif; letter-spacing: -.015em; margin: 0 0 .8rem; max-width: 16em; }
  .hero p { color: var(--quiet); font-size: 1.1rem; margin: 0; max-width: 36em; }
  .goods { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: 1.25rem; padding: 0; margin: 0; list-style: none; }
  .goods h2 { font: 600 1rem/1.3 system-ui, sans-serif; margin: .8rem 0 .1rem; }
  .goods p { color: var(--quiet); font-size: .92rem; margin: 0; }
  .goods b { display: block; margin-top: .3rem; font-weight: 600; font-variant-numeric: tabular-nums; }
  .goods svg { display: block; width: 100%; height: 12rem; border-radius: .4rem; background: var(--tint-1); fill: var(--ink); }
  .goods li:nth-child(2) svg { background: var(--tint-2); } .goods li:nth-child(3) svg { background: var(--tint-3); } .goods li:nth-child(4) svg { background: var(--tint-4); }
  .goods .deep { fill: var(--deep); } .goods .paper { fill: var(--paper); } .goods .line { fill: none; stroke: var(--deep); stroke-width: 4; stroke-linecap: round; }
  .goods .line.paper { stroke: var(--paper); stroke-width: 2; }
`;

const product = ([picture, name, about, price]: (typeof PRODUCTS)[number]): string =>
  `<li><svg viewBox="0 0 120 120" aria-hidden="true">${PICTURES[picture]}</svg><h2>${name}</h2><p>${about}</p><b>${price}</b></li>`;

/** The head of the shop. */
export const SHOP_HEAD = `<header class="shop-head"><span class="shop-name">Kettle &amp; Leaf</span><span>Tea</span><span>Teaware</span><span>Gifts</span><span>Cart (2)</span></header>`;

/** First part of its `<main>`. */
export const SHOP_WINDOW = `<div class="hero"><h1>Good tea, and everything to brew it.</h1>
<p>Leaves from small gardens, teapots and cups that last. Delivered within two days.</p></div>
<ul class="goods">${PRODUCTS.map(product).join('')}</ul>`;

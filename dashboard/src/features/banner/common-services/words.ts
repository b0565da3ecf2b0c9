/** How long a cookie is stored: a number of units, or until the browser is closed. */
export type Lifetime = [count: number, unit: 'minute' | 'hour' | 'day' | 'month' | 'year'] | 'session';

export type Purpose = keyof (typeof WORDS)['en']['purposes'];

/** The words of common services in the banner's languages. */
const WORDS = {
  en: {
    session: 'Session',
    purposes: {
      visitor: 'Distinguishes visitors.',
      session: 'Connects the pages of a visit.',
      attribution: 'Measures which ads or links lead to visits and purchases.',
      advertising: 'Recognizes the browser to show and measure ads.',
      preferences: 'Remembers settings.',
      fraud: 'Detects misuse and fraud.',
      routing: 'Selects the data center that answers.',
    },
  },
  de: {
    session: 'Sitzung',
    purposes: {
      visitor: 'Unterscheidet Besucher.',
      session: 'Verbindet die Seiten eines Besuchs.',
      attribution: 'Misst, welche Anzeigen oder Links zu Besuchen und Käufen führen.',
      advertising: 'Erkennt den Browser wieder, um Werbung zu zeigen und zu messen.',
      preferences: 'Merkt sich Einstellungen.',
      fraud: 'Erkennt Missbrauch und Betrug.',
      routing: 'Wählt das antwortende Rechenzentrum aus.',
    },
  },
  fr: {
    session: 'Session',
    purposes: {
      visitor: 'Distingue les visiteurs.',
      session: 'Relie les pages d’une visite.',
      attribution: 'Mesure quelles annonces ou quels liens mènent à des visites et à des achats.',
      advertising: 'Reconnaît le navigateur pour afficher et mesurer des publicités.',
      preferences: 'Mémorise des réglages.',
      fraud: 'Détecte les abus et la fraude.',
      routing: 'Choisit le centre de données qui répond.',
    },
  },
  es: {
    session: 'Sesión',
    purposes: {
      visitor: 'Distingue a los visitantes.',
      session: 'Relaciona las páginas de una visita.',
      attribution: 'Mide qué anuncios o enlaces llevan a visitas y compras.',
      advertising: 'Reconoce el navegador para mostrar y medir anuncios.',
      preferences: 'Recuerda los ajustes.',
      fraud: 'Detecta abusos y fraudes.',
      routing: 'Elige el centro de datos que responde.',
    },
  },
  it: {
    session: 'Sessione',
    purposes: {
      visitor: 'Distingue i visitatori.',
      session: 'Collega le pagine di una visita.',
      attribution: 'Misura quali annunci o link portano a visite e acquisti.',
      advertising: 'Riconosce il browser per mostrare e misurare annunci.',
      preferences: 'Ricorda le impostazioni.',
      fraud: 'Rileva abusi e frodi.',
      routing: 'Sceglie il centro dati che risponde.',
    },
  },
  nl: {
    session: 'Sessie',
    purposes: {
      visitor: 'Onderscheidt bezoekers.',
      session: 'Verbindt de pagina’s van een bezoek.',
      attribution: 'Meet welke advertenties of links tot bezoeken en aankopen leiden.',
      advertising: 'Herkent de browser om advertenties te tonen en te meten.',
      preferences: 'Onthoudt instellingen.',
      fraud: 'Detecteert misbruik en fraude.',
      routing: 'Kiest het datacenter dat antwoordt.',
    },
  },
  pl: {
    session: 'Sesja',
    purposes: {
      visitor: 'Odróżnia odwiedzających.',
      session: 'Łączy strony jednej wizyty.',
      attribution: 'Mierzy, które reklamy lub linki prowadzą do wizyt i zakupów.',
      advertising: 'Rozpoznaje przeglądarkę, aby wyświetlać i mierzyć reklamy.',
      preferences: 'Zapamiętuje ustawienia.',
      fraud: 'Wykrywa nadużycia i oszustwa.',
      routing: 'Wybiera centrum danych, które odpowiada.',
    },
  },
  pt: {
    session: 'Sessão',
    purposes: {
      visitor: 'Distingue os visitantes.',
      session: 'Associa as páginas de uma visita.',
      attribution: 'Mede que anúncios ou links levam a visitas e compras.',
      advertising: 'Reconhece o navegador para mostrar e medir anúncios.',
      preferences: 'Memoriza definições.',
      fraud: 'Deteta abusos e fraudes.',
      routing: 'Escolhe o centro de dados que responde.',
    },
  },
  sv: {
    session: 'Session',
    purposes: {
      visitor: 'Skiljer besökare åt.',
      session: 'Kopplar ihop sidorna i ett besök.',
      attribution: 'Mäter vilka annonser eller länkar som leder till besök och köp.',
      advertising: 'Känner igen webbläsaren för att visa och mäta annonser.',
      preferences: 'Kommer ihåg inställningar.',
      fraud: 'Upptäcker missbruk och bedrägerier.',
      routing: 'Väljer det datacenter som svarar.',
    },
  },
  da: {
    session: 'Session',
    purposes: {
      visitor: 'Skelner mellem besøgende.',
      session: 'Forbinder siderne i et besøg.',
      attribution: 'Måler, hvilke annoncer eller links der fører til besøg og køb.',
      advertising: 'Genkender browseren for at vise og måle annoncer.',
      preferences: 'Husker indstillinger.',
      fraud: 'Opdager misbrug og svindel.',
      routing: 'Vælger det datacenter, der svarer.',
    },
  },
};

export type WordLanguage = keyof typeof WORDS;
export const WORD_LANGUAGES = Object.keys(WORDS) as WordLanguage[];

/** The language of a tag such as `pt-BR`; null: there are no words in it. */
export function wordLanguage(tag: string): WordLanguage | null {
  const [language = ''] = tag.toLowerCase().split('-');
  return Object.hasOwn(WORDS, language) ? (language as WordLanguage) : null;
}

export function purposeIn(language: WordLanguage, purpose: Purpose): string {
  return WORDS[language].purposes[purpose];
}

/** A lifetime in words, such as “2 years”. */
export function lifetimeIn(language: WordLanguage, lifetime: Lifetime): string {
  if (lifetime === 'session') return WORDS[language].session;
  const [count, unit] = lifetime;
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}

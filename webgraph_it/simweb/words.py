"""Italian words, and blocks of them made once, from which pages are joined.

Blocks exist so that a 15 KB page costs a few joins. Words of PLAIN are ASCII and may appear in host names and
paths. Words of ACCENTED show whether an encoding was understood.
"""

from functools import cache
from random import Random

_PLAIN = """
    acqua albero amico anno arte banca barca bianco biblioteca bosco caffe calcio camera campo canale
    cantina carta casa castello centro chiesa cinema colle comune concerto corso costa cucina cultura
    cuore danza diritto disegno domenica donna elenco energia estate europa fabbrica famiglia festa
    fiera fiore fiume fontana foresta forno foto futuro gara gelato giardino giorno gioco giornale gita
    grano gruppo guida idea impresa inverno isola istituto italia lago lavoro legge lettera libro lingua
    luce luna macchina maestro mare mercato mese mondo montagna mostra museo musica natura nave neve
    notizia numero nuvola olio ombra opera ora orto ospedale paese pagina palazzo pane parco parola
    passo pesca piano piazza pietra pioggia ponte porta porto posta prato premio prezzo primavera
    progetto pubblico quadro quartiere radio ragazzo regione ricerca ricetta riva rosa sabato sale
    salute scala scuola sera servizio sole sport stagione stampa stazione storia strada studio teatro
    tempo terra torre treno ufficio uva vacanza valle vela vento viaggio villa vino volo zona
"""
PLAIN = tuple(_PLAIN.split())
ACCENTED = ("città", "perché", "università", "più", "così", "lunedì", "caffè", "però", "libertà", "è", "già")

BLOCK_BYTES = 1_000
_BLOCKS = 256
_SNIPPETS = 512


@cache
def snippets() -> tuple[str, ...]:
    """Half a line of text each, for use before a link."""
    random = Random("snippets")
    return tuple(_sentence(random, 12) for _ in range(_SNIPPETS))


@cache
def blocks(charset: str = "utf-8") -> tuple[bytes, ...]:
    """Paragraphs of BLOCK_BYTES each or slightly more, encoded."""
    random = Random("blocks")
    return tuple(_block(random).encode(charset) for _ in range(_BLOCKS))


def _block(random: Random) -> str:
    text = ""
    while len(text) < BLOCK_BYTES - 10:
        text += _sentence(random, random.randint(8, 20)) + " "
    return f"<p>{text}</p>\n"


def _sentence(random: Random, length: int) -> str:
    words = random.choices(PLAIN, k=length - 2) + random.choices(ACCENTED, k=2)
    random.shuffle(words)
    return " ".join(words).capitalize() + "."

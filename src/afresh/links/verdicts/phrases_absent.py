"""How languages say that something is not there: by what it is, a word for "not" and a verb, in whatever order."""

from afresh.links.verdicts.phrases import Phrases


def _absent(triggers: str, *, things: str, no: str, there: str, gone: str, languages: str) -> Phrases:
    """How one language says that something is not there: thing, "not" and verb in any order, or a thing and its end."""
    near = r"[^.!?]{0,50}?"
    return Phrases(
        triggers,
        (),
        (
            rf"\b(?:{things})\w*\b{near}\b(?:{no})\b{near}\b(?:{there})\w*",
            rf"\b(?:{things})\w*\b{near}\b(?:{there})\w*\b{near}\b(?:{no})\b",
            rf"\b(?:{no})\b{near}\b(?:{there})\w*\b{near}\b(?:{things})\w*",
            rf"\b(?:{there})\w*\b{near}\b(?:{no})\b{near}\b(?:{things})\w*"
            rf"|\b(?:{there})\w*\b{near}\b(?:{things})\w*\b{near}\b(?:{no})\b",
            rf"\b(?:{things})\w*\b{near}\b(?:{gone})\w*",
        ),
        languages=frozenset(languages.split()),
    )


#: By language; pages that say which one theirs is are searched for all of it, the others where a word calls for it.
ABSENT = (
    _absent(
        "abrufbar depubliziert deaktiviert abgelaufen datensatz",
        things="seite|artikel|beitrag|angebot|anzeige|inhalt|datensatz|eintrag|dokument|produkt|datei|thema|profil|video|inserat|stelle",
        no="nicht|kein|keine|keinen|keiner|nie|nirgends",
        there="gefunden|finden|vorhanden|verfügbar|existier|online|abrufbar|auffindbar|gibt|da",
        gone="gelöscht|entfernt|depubliziert|deaktiviert|abgelaufen|beendet|verschwunden|vergeben",
        languages="de",
    ),
    _absent(
        "trouvons désactivée désactivé retirée retiré expiré expirée",
        things="page|article|annonce|offre|contenu|document|produit|fichier|bien|sujet|profil|vidéo|fiche|adresse",
        no="pas|plus|aucun|aucune|rien",
        there="trouv|existe|disponible|ligne|accessible|été trouvé|ici",
        gone="supprimé|retiré|désactivé|expiré|effacé|disparu|introuvable|inexistant",
        languages="fr",
    ),
    _absent(
        "encuentra retirado retirada caducado caducada despublicado",
        things="página|documento|contenido|artículo|anuncio|oferta|producto|archivo|enlace|noticia|perfil|vídeo|dirección|recurso",
        no="no|ya no|ningún|ninguna|nada",
        there="existe|encontr|encuentr|disponible|hay|está|localiz",
        gone="eliminad|borrad|retirad|caducad|despublicad|inexistente",
        languages="es gl ca",
    ),
    _absent(
        "removido removida apagado apagada expirou indisponível",
        things="página|documento|conteúdo|artigo|anúncio|oferta|produto|arquivo|ficheiro|notícia|perfil|vídeo|endereço|recurso",
        no="não|já não|nenhum|nenhuma|nada",
        there="existe|encontr|disponível|há|está|localiz",
        gone="removid|apagad|eliminad|expir|inexistente",
        languages="pt",
    ),
    _absent(
        "cercavi rimosso rimossa scaduto scaduta cancellato",
        things="pagina|documento|contenuto|articolo|annuncio|offerta|prodotto|file|notizia|profilo|video|indirizzo|risorsa",
        no="non|nessun|nessuna|niente",
        there="esiste|trova|disponibile|online|presente|c'è|più",
        gone="rimoss|cancellat|eliminat|scadut|inesistente",
        languages="it",
    ),
    _absent(
        "verwijderd verlopen vindbaar",
        things="pagina|artikel|bericht|advertentie|aanbod|inhoud|document|product|bestand|onderwerp|profiel|video|adres",
        no="niet|geen|niets",
        there="gevonden|vinden|bestaat|beschikbaar|online|vindbaar|meer",
        gone="verwijderd|verlopen|vervallen|gewist",
        languages="nl af",
    ),
    _absent(
        "existerar saknas borttagen raderats slettet slettes fjernet utgått utløpt eksisterer eksisterar",
        things="sid|sida|sidan|siden|side|artikel|artikkel|annons|annonse|annonce|innehåll|innhold|indhold|dokument|produkt|fil|profil",
        no="inte|ikke|inga|ingen|intet|inget|ej",
        there="hitta|hittar|hittade|hittades|finns|finnes|findes|fundet|funnet|existerar|eksisterer|kvar|tillgänglig|tilgjengelig|tilgængelig",
        gone="saknas|borttag|raderat|slettet|fjernet|utgått|utløpt|udløbet|mangler",
        languages="sv da nb nn no",
    ),
    _absent(
        "kadonnut poistettu olemassa vanhentunut",
        things="sivu|artikkeli|ilmoitus|sisältö|tuote|tiedosto|dokumentti|profiili|video|osoite",
        no="ei|eikä|emme",
        there="löyd|löyt|ole|olemassa|saatavilla",
        gone="kadonnut|poistettu|siirretty|vanhentun|puuttuu",
        languages="fi",
    ),
    _absent(
        "odnaleziona odnaleziono usunięta usunięty wygasło wygasła",
        things="stron|artykuł|ogłoszeni|ofert|treś|dokument|produkt|plik|temat|profil|film|adres",
        no="nie|żadn\\w+|brak",
        there="istniej|znale|odnale|ma|dostępn|ma już",
        gone="usunięt|skasowan|wygas|przeniesion",
        languages="pl",
    ),
    _absent(
        "odstraněna odstránená smazána vymazaná zrušena nedostupná",
        things="stránk|článek|článok|inzerát|nabídk|ponuk|obsah|dokument|produkt|soubor|súbor|profil|video|adres",
        no="ne\\w*|žádn\\w+|žiadn\\w+",
        there="naš|najd|nalez|nájd|exist|k dispozici|dostupn",
        gone="odstran|odstrán|smazán|vymazan|zrušen|nedostupn",
        languages="cs sk",
    ),
    _absent(
        "törölték megszűnt eltávolították lejárt",
        things="oldal|cikk|hirdetés|tartalom|dokumentum|termék|fájl|profil|videó|cím",
        no="nem|nincs|sem",
        there="talál|létez|elérhető|ilyen|itt",
        gone="töröl|megszűn|eltávolít|lejár",
        languages="hu",
    ),
    _absent(
        "ștearsă ștears eliminată expirat",
        things="pagin|articol|anunț|conținut|document|produs|fișier|profil|adres",
        no="nu|nici",
        there="găsi|exist|disponibil|mai",
        gone="șters|eliminat|expirat|mutat",
        languages="ro",
    ),
    _absent(
        "silinmiş kaldırılmış yok yayından",
        things="sayfa|içerik|ilan|makale|belge|ürün|dosya|haber|profil|video|adres",
        no="yok|yoktur|değil|bulunam\\w+",
        there="bir|mevcut|yayında|artık|sayfa",
        gone="silin|kaldırıl|taşın|bulunam|yok",
        languages="tr az",
    ),
    _absent(
        "uklonjena uklonjen obrisana obrisan odstranjena izbrisana",
        things="stranic|stran|članak|članek|oglas|sadržaj|vsebin|dokument|proizvod|izdelek|datotek|profil|adres",
        no="nije|ne|nema|ni|nismo",
        there="pronađ|postoj|obstaj|najd|dostup|našl|više",
        gone="uklonj|obris|odstranj|izbris|istek",
        languages="hr sr bs sl",
    ),
    _absent(
        "còn xóa gỡ",
        things="trang|bài viết|nội dung|tài liệu|sản phẩm|tin|video|địa chỉ",
        no="không|chưa",
        there="tồn tại|tìm thấy|còn|có|khả dụng",
        gone="đã bị xóa|đã xóa|bị gỡ|hết hạn",
        languages="vi",
    ),
    _absent(
        "dihapus kedaluwarsa dipadam",
        things="halaman|artikel|konten|iklan|dokumen|produk|berkas|berita|profil|video|laman",
        no="tidak|bukan|tak",
        there="ditemukan|tersedia|ada|dijumpai|wujud",
        gone="dihapus|dipindahkan|kedaluwarsa|dipadam",
        languages="id ms",
    ),
)

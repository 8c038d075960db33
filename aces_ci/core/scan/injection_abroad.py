"""`Ignore all previous instructions` in languages that attacks are written in beside English."""

from __future__ import annotations

from collections.abc import Sequence

ABROAD: Sequence[str] = (
    # German
    r"\b(ignorier|vergiss|vergesst|missachte|verwirf)\p{L}*[^.\n]{0,24}\b(vorherig|bisherig|obig|früher|vorangegangen|"
    r"vorhergehend)\p{L}*[^.\n]{0,12}(anweisung|instruktion|regel|vorgab|befehl)\p{L}*",
    # French
    r"\b(ignore|oublie)[rsz]*\b[^.\n]{0,24}\b(instructions?|consignes?|règles?)\b[^.\n]{0,8}(précédent|antérieur|"
    r"ci-dessus)\p{L}*",
    # Spanish, Portuguese, Italian
    r"\b(ignor[ae]r?|olvid[ae]r?|esque[cç]a|desconsidere|dimentica|dimenticare)\b[^.\n]{0,24}\b(instrucciones|"
    r"indicaciones|reglas|instruções|regras|istruzioni|regole)\b[^.\n]{0,8}(anterior|previ|prévi|precedent)\p{L}*",
    # Dutch
    r"\b(negeer|vergeet)\b[^.\n]{0,24}\b(vorige|eerdere|bovenstaande|voorgaande)\b[^.\n]{0,12}\b(instructies|"
    r"opdrachten|regels)\b",
    # Russian, Ukrainian
    r"(игнорир|забуд|ігнору)\p{L}*[^.\n]{0,24}(предыдущ|прежн|прошл|попередн)\p{L}*[^.\n]{0,12}(инструкц|указан|правил|"
    r"інструкц)\p{L}*",
    # Chinese
    r"(忽略|无视|忘记|忽視|無視|忘記)[^。\n]{0,10}(之前|以前|先前|上述|以上|前面|此前)[^。\n]{0,8}(指令|指示|提示|规则|規則|命令)",
    # Japanese, Korean
    r"(以前|これまで|上記|前|先)の[^。\n]{0,8}(指示|命令|ルール|プロンプト)[^。\n]{0,6}(無視|忘れ)",
    r"(이전|위의|앞선|기존)[^.\n]{0,8}(지시|명령|지침|규칙)[^.\n]{0,8}(무시|잊)",
)
"""RE2 patterns; a word of action, a word for what came before, and one for orders, in the language's order."""
